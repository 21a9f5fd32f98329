// The engine of SurrealDB's Node package, called with encoded requests.
import { pathToFileURL } from 'node:url';
import { NodeEngine } from '@surrealdb/node';
import { CborCodec } from 'surrealdb';

/** The only user; only signed-in connections may query. */
const DEFINE_ROOT = "DEFINE USER IF NOT EXISTS root ON ROOT PASSWORD 'root' ROLES OWNER";

export const codec = new CborCodec({});

/** Passes bytes through: requests arrive encoded, and responses leave encoded. */
const PASS_THROUGH = {
  encode: (/** @type {{ bytes: Uint8Array }} */ { bytes }) => bytes,
  decode: (/** @type {Uint8Array} */ bytes) => ({ bytes }),
};

/** Executes an encoded request; resolves with the encoded result, or with an encoded map of `error`. @typedef {(request: Uint8Array) => Promise<Uint8Array>} Execute */

/** Opens the data in a folder, which survives the process. @param {string} folder @returns {Promise<Execute>} */
export async function openEngine(folder) {
  const context = /** @type {any} */ ({ options: {}, uniqueId: () => '', codecs: { cbor: PASS_THROUGH } });
  const engine = new NodeEngine(context);
  const opened = new Promise((resolve, reject) => {
    engine.subscribe('connected', () => resolve(null));
    engine.subscribe('error', reject);
  });
  const url = new URL(pathToFileURL(folder).href.replace(/^file:/, 'rocksdb:'));
  engine.open(/** @type {any} */ ({ url }));
  await opened;
  /** @type {Execute} */
  const execute = async (bytes) => {
    /** @type {{ bytes: Uint8Array }} */
    const answer = await engine.send(/** @type {any} */ ({ bytes }));
    return answer.bytes;
  };
  await execute(codec.encode({ id: 'root', method: 'query', params: [DEFINE_ROOT, {}] }));
  return execute;
}
