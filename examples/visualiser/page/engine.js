'use strict';
// The library behind the page: requests go in as JSON, answers come back (session.hpp says which).

const errno_badf = 8;  // WASI's answer of a host that has no files: nothing here reads any

class Engine {
  static async load(gzipped) {
    const bytes = Uint8Array.from(atob(gzipped.trim()), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
    const system = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module))
      (system[from] ??= {})[name] = name === 'proc_exit' ? () => { throw new Error('the library ended'); }
                                                         : () => errno_badf;
    const { exports } = await WebAssembly.instantiate(module, system).then((instance) => ({ exports: instance.exports }));
    exports._initialize();
    return new Engine(exports);
  }

  constructor(library) {
    this.library = library;
    this.has_ended = null;   // the sentence that says why
    this.transcript = null;  // a list, where somebody wants to compare
  }

  ask(request) {
    if (this.has_ended) throw this.has_ended;
    const line = JSON.stringify(request);
    const text = this.answer_to(line);
    this.transcript?.push([line, text]);
    return JSON.parse(text);
  }

  /** A module that has trapped, for want of memory say, has left its work undone: it is asked nothing more. */
  answer_to(line) {
    try {
      return this.exchange(new TextEncoder().encode(line));
    } catch (error) {
      this.has_ended = `The library has ended (${error.message}): reload the page.`;
      throw this.has_ended;
    }
  }

  exchange(bytes) {
    const { memory, request, answer, answer_bytes } = this.library;
    // First the places: memory may grow when one is asked for, and its old buffer is empty then.
    const place = request(bytes.length);
    new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
    const size = answer();
    const begin = answer_bytes();
    return new TextDecoder().decode(new Uint8Array(memory.buffer, begin, size));
  }
}
