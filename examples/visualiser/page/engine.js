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
    this.transcript = null;  // a list, where somebody wants to compare
  }

  ask(request) {
    const line = JSON.stringify(request);
    const bytes = new TextEncoder().encode(line);
    const { memory, request: place, answer, answer_bytes: answered } = this.library;
    new Uint8Array(memory.buffer, place(bytes.length), bytes.length).set(bytes);
    const size = answer();
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answered(), size));
    this.transcript?.push([line, text]);
    return JSON.parse(text);
  }
}
