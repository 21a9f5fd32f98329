import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as UwsModule from 'uWebSockets.js';
import { faultTexts, nativeFaults } from './native-faults.js';
import { NATIVE_HASHES } from './native-hashes.js';

/** The whole native interface. Nothing outside this room may see it. */
export type Native = typeof UwsModule & {
  /** Declared by the package as an enum, but a plain export at run time. */
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
};

/** Loaded native library. */
export interface NativeBinary {
  readonly file: string;
  readonly platform: string;
  readonly arch: string;
  /** Node's binary interface number, `process.versions.modules`. */
  readonly abi: string;
  /** Faults that cannot be avoided, for the log. */
  readonly faults: readonly string[];
}

/**
 * Bytes of a request head the native parser buffers while it arrives in pieces. Above our own limit (see
 * `MAX_HEAD_BYTES`), so that most heads that are too large get our JSON answer instead of the native page.
 */
const NATIVE_HEAD_BYTES = 64 * 1024;

const HEAD_VARIABLE = 'UWS_HTTP_MAX_HEADERS_SIZE';
const require = createRequire(import.meta.url);

/** Parts of the file name of the library for this process. */
function wanted(): Omit<NativeBinary, 'file' | 'faults'> {
  return { platform: process.platform, arch: process.arch, abi: process.versions.modules };
}

const fileName = ({ platform, arch, abi }: Omit<NativeBinary, 'file' | 'faults'>): string =>
  `uws_${platform}_${arch}_${abi}.node`;

/** The C library as this process reports it; asked only when loading failed, because the report is slow. */
function libcText(): string {
  if (process.platform !== 'linux') return '';
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  const version = report.header?.glibcVersionRuntime;
  return version === undefined ? ', no glibc (musl?)' : `, glibc ${version}`;
}

/** Names the required library, this machine and the remedy; exported for its test. */
export function loadFailureText(cause: unknown): string {
  const need = wanted();
  const reason = cause instanceof Error ? (cause.message.split('\n').at(-1) ?? '') : String(cause);
  return (
    `uWebSockets.js has no library that loads here: wanted ${fileName(need)} ` +
    `(${need.platform} ${need.arch}, Node ${process.version}, ABI ${need.abi}${libcText()}). ` +
    'Supported: Node 20 with glibc 2.27 or newer, Node 22 and 24 with glibc 2.38 or newer, macOS, Windows; ' +
    'not Alpine (musl). Change the Node version or the base image, or point the dependency "uWebSockets.js" ' +
    `at an official build for it. Reason: ${reason}`
  );
}

function load(): Native {
  // The parser reads its bound once, from the environment, while the library is being loaded.
  const before = process.env[HEAD_VARIABLE];
  process.env[HEAD_VARIABLE] ??= String(NATIVE_HEAD_BYTES);
  try {
    return require('uWebSockets.js') as Native;
  } catch (error) {
    throw new Error(loadFailureText(error), { cause: error });
  } finally {
    if (before === undefined) delete process.env[HEAD_VARIABLE];
  }
}

let loaded: Native | undefined;

/**
 * The native library, loaded at first use.
 *
 * @throws Error that names platform, ABI and C library when none of the package's binaries fits.
 */
export function native(): Native {
  loaded ??= load();
  return loaded;
}

/** Returns the library in use; loads it if needed, and throws like {@link native}. */
export function nativeBinary(): NativeBinary {
  native();
  const names = wanted();
  const file = join(dirname(require.resolve('uWebSockets.js')), fileName(names));
  const replaced = hashFault(fileName(names), readFileSync(file));
  return { ...names, file, faults: [...faultTexts(nativeFaults), ...(replaced === null ? [] : [replaced])] };
}

/** Returns a warning if a library differs from that of the pinned package; null if it is the same. */
export function hashFault(name: string, content: Uint8Array): string | null {
  const known = NATIVE_HASHES[name];
  const found = createHash('sha256').update(content).digest('hex');
  if (found === known) return null;
  return (
    `${name} of uWebSockets.js has SHA-256 ${found}, expected ${known ?? 'none, the file is unknown'}; ` +
    'run npm ci, unless you chose another build yourself (docs/uwebsockets.md)'
  );
}
