// node run.mjs PROGRAM.wasm FOLDER: runs a WASI program that sees FOLDER as /golden, and exits as it does.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, golden] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', env: { RIFFLE_TEST_FILES: '/' }, preopens: { '/golden': golden }, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(program));
process.exit(wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })));
