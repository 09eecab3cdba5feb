// Record the Jupyter extension of Visual Studio Code: its own sources connect to the relay and run cells; the editor around them is not
// there. README.md says which parts are real.
//
//   node vscode.mjs SOURCES PYTHON KERNEL RECORDING
//
// SOURCES is a copy of microsoft/vscode-jupyter; PYTHON has pyzmq; KERNEL is the tests' kernel: go test -c -o KERNEL ./kernel. npm install
// comes first.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const [sources, python, kernel, recording] = process.argv.slice(2).map((p, i) => (i === 1 ? p : path.resolve(p)));

// What the editor would give the extension. Whatever is not named here does nothing.
const editor = `
    const nothing = () => new Proxy(function () {}, {
        get: (t, k) => (k === '__esModule' ? true : k === Symbol.toPrimitive ? () => '' : k === 'then' ? undefined : k in t ? t[k] : nothing()),
        apply: () => nothing(),
        construct: () => ({}),
    });
    class EventEmitter {
        listeners = new Set();
        event = (f, self) => { const l = e => f.call(self, e); this.listeners.add(l); return { dispose: () => this.listeners.delete(l) }; };
        fire(e) { for (const l of [...this.listeners]) l(e); }
        dispose() { this.listeners.clear(); }
    }
    class CancellationTokenSource {
        emitter = new EventEmitter();
        token = { isCancellationRequested: false, onCancellationRequested: this.emitter.event };
        cancel() { this.token.isCancellationRequested = true; this.emitter.fire(); }
        dispose() { this.emitter.dispose(); }
    }
    class Disposable { constructor(f) { this.dispose = f; } static from(...l) { return new Disposable(() => l.forEach(d => d.dispose())); } }
    class Uri { constructor(p) { this.path = this.fsPath = p; this.scheme = 'file'; } toString() { return 'file://' + this.path; } static file(p) { return new Uri(p); } static parse(p) { return new Uri(p); } }
    class CancellationError extends Error {}
    const workspace = new Proxy({ getConfiguration: () => ({ get: (_, d) => d }), notebookDocuments: [], workspaceFolders: [], isTrusted: true }, { get: (t, k) => (k in t ? t[k] : nothing()) });
    const window = new Proxy({ withProgress: (_, f) => f({ report() {} }, new CancellationTokenSource().token) }, { get: (t, k) => (k in t ? t[k] : nothing()) });
    const known = { EventEmitter, CancellationTokenSource, CancellationError, Disposable, Uri, workspace, window };
    // As its prototype: the bundle copies what a module names, and inherits the rest.
    module.exports = Object.create(new Proxy(known, { get: (t, k) => (k === '__esModule' ? true : k in t ? t[k] : nothing()) }));
`;

// The modules that only the editor and its telemetry have.
const absent = /^(vscode|vscode-jupyter-release-version|@vscode\/.*)$/;

async function extension() {
    const outfile = path.join(here, 'extension.cjs');
    await esbuild.build({
        stdin: {
            resolveDir: sources,
            loader: 'ts',
            contents: `
                import 'reflect-metadata';
                export { RawKernelConnection } from './src/kernels/raw/session/rawKernelConnection.node';
                export { executeSilently, executeSilentlyAndEmitOutput } from './src/kernels/helpers';
                export { getKernelInfo } from './src/kernels/kernelInfo';
                export { CellExecution } from './src/kernels/execution/cellExecution';
            `,
        },
        bundle: true,
        platform: 'node',
        format: 'cjs',
        outfile,
        nodePaths: [path.join(here, 'node_modules')],
        external: ['zeromq', '@jupyterlab/*'],
        logLevel: 'error',
        tsconfigRaw: { compilerOptions: { experimentalDecorators: true, useDefineForClassFields: false } },
        plugins: [
            {
                name: 'editor',
                setup(build) {
                    build.onResolve({ filter: absent }, (a) => ({ path: a.path, namespace: 'editor' }));
                    build.onLoad({ filter: /.*/, namespace: 'editor' }, () => ({ contents: editor, loader: 'js' }));
                },
            },
        ],
    });
    try {
        return require(outfile);
    } finally {
        fs.unlinkSync(outfile);
    }
}

function freePort() {
    return new Promise((resolve) => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
}

const metadata = {
    kind: 'startUsingLocalKernelSpec',
    id: 'recorded',
    kernelSpec: { name: 'fsnet', display_name: 'FsNet (Go)', language: 'go', interrupt_mode: 'message', argv: [], executable: '' },
};

// What the extension's launcher gives: a process and how it is reached.
async function launch(directory) {
    const connection = { transport: 'tcp', ip: '127.0.0.1', key: 'recorded', signature_scheme: 'hmac-sha256', kernel_name: 'fsnet' };
    for (const name of ['shell', 'control', 'stdin', 'hb', 'iopub']) connection[`${name}_port`] = await freePort();
    const file = path.join(directory, 'kernel.json');
    fs.writeFileSync(file, JSON.stringify(connection), { mode: 0o600 });
    const child = spawn(python, [path.join(here, 'relay.py'), recording, kernel, 'kernel', file], { stdio: 'inherit', env: { ...process.env, FSNET_TEST_WITHOUT_GO: '1' } });
    return {
        pid: child.pid,
        connection,
        kernelConnectionMetadata: metadata,
        canInterrupt: false, // the kernel's interrupt_mode is message
        exited: (f) => {
            child.on('exit', (exitCode) => f({ exitCode, stderr: '' }));
            return { dispose() {} };
        },
        onDidDispose: (f) => {
            child.on('exit', () => f());
            return { dispose() {} };
        },
        dispose: () => child.kill(),
    };
}

const { RawKernelConnection, executeSilently, executeSilentlyAndEmitOutput, getKernelInfo, CellExecution } = await extension();
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'recorded-'));
const file = (p) => ({ fsPath: p, path: p, toString: () => `vscode-notebook-cell:${p}` });
const token = { isCancellationRequested: false, onCancellationRequested: () => ({ dispose() {} }) };
const launcher = { launch: () => launch(directory) };

// A cell as the notebook of the editor has it, run by the extension's own method.
function run(connection, code, index, cellMetadata = {}) {
    const cell = { index, metadata: cellMetadata, document: { uri: file(`/home/me/first.ipynb#W${index}sZmlsZQ%3D%3D`), isClosed: false, languageId: 'go' }, notebook: { uri: file('/home/me/first.ipynb') } };
    const handler = { onErrorHandlingExecuteRequestIOPubMessage() {}, completed: Promise.resolve() };
    const self = {
        cell,
        disposables: [],
        execution: {},
        requestListener: { registerListenerForExecution: (_, { request }) => ((self.sent = request), handler) },
        completedSuccessfully() {},
        completedWithErrors() {},
        endCellTask() {},
        _result: { resolve() {} },
    };
    const ended = CellExecution.prototype.execute.call(self, code, { kernel: connection }).catch(() => {});
    return { ended, request: self.sent };
}

const published = (request, type) =>
    new Promise((resolve) => {
        const before = request.onIOPub;
        request.onIOPub = (m) => {
            before?.(m);
            if (m.header.msg_type === type) resolve(m);
        };
    });

const connection = new RawKernelConnection(undefined, launcher, file(directory), 60_000, metadata);
await connection.start(token);
const comms = new Map();
connection.registerCommTarget('jupyter.widget', (comm, message) => comms.set(message.content.data.state, comm)); // as for its widgets
await getKernelInfo({ kernel: connection }, metadata, { get: (_, d) => d, update: async () => {} });

await executeSilently(connection, '%fsnet version');
await new Promise((resolve) => {
    executeSilentlyAndEmitOutput(connection, '%fsnet help step\r\n', () => {}, resolve);
});
await connection.requestKernelInfo();

await run(connection, '%fsnet open leukemia data=planted k=3 epochs=1000000000 stop=never', 0, { metadata: { tags: ['parameters'] } }).ended;
// Two cells at once: an error does not stop what comes after it.
const wrong = run(connection, '%fsnet nonsense', 1);
const next = run(connection, '%fsnet step 7', 2);
await Promise.all([wrong.ended, next.ended]);

// A run. While it goes on a variable is looked at and a word completed, then it is interrupted.
const long = run(connection, '%fsnet run', 3);
await published(long.request, 'display_data');
await connection.requestInspect({ code: '%fsnet set lambda=1', cursor_pos: 13, detail_level: 0 });
await connection.requestComplete({ code: '%fsnet evalu', cursor_pos: 12 });
await connection.interrupt();
await long.ended;

// A live view. A button of it sends a message.
const panel = run(connection, '%fsnet panel', 4);
await panel.ended;
const view = [...comms].find(([state]) => state._anywidget_id === 'fsnet-panel')[1];
view.send({ method: 'custom', content: { do: 'step', n: 10 } });
await connection.requestInspect({ code: '%fsnet step', cursor_pos: 9, detail_level: 1 });
await run(connection, '%fsnet status', 5).ended;

await connection.shutdown();
fs.rmSync(directory, { recursive: true });
process.exit(0);
