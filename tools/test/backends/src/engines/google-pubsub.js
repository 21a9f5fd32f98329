// The in-memory server of Google Pub/Sub that Google's Go client has for tests. It loses everything when it ends,
// accepts any project and checks no credentials.
import { connect } from 'node:http2';
import { fileURLToPath } from 'node:url';

const ANSWER_LIMIT_MS = 5000;
const PROJECT = 'carillon';

/** Field 1 of a request of the protocol, as a frame of gRPC. @param {string} text */
function requestFrame(text) {
  const value = Buffer.from(text);
  const message = Buffer.concat([Buffer.from([0x0a, value.length]), value]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/**
 * Resolves when the server lists the topics of a project; rejects with its answer otherwise.
 * @param {string} url @returns {Promise<void>}
 */
export function listTopics(url) {
  return new Promise((done, failed) => {
    const session = connect(url);
    const fail = (/** @type {Error} */ error) => {
      session.destroy();
      failed(error);
    };
    session.setTimeout(ANSWER_LIMIT_MS, () => fail(new Error(`no answer in ${ANSWER_LIMIT_MS} ms`)));
    session.on('error', fail);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/google.pubsub.v1.Publisher/ListTopics',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    stream.on('error', fail);
    stream.on('trailers', (trailers) => {
      session.close();
      const status = trailers['grpc-status'];
      if (status === '0') done();
      else failed(new Error(`ListTopics: status ${status} ${trailers['grpc-message'] ?? ''}`));
    });
    stream.resume();
    stream.end(requestFrame(`projects/${PROJECT}`));
  });
}

/** @type {import('../types.js').Engine} */
export const googlePubsub = {
  name: 'google-pubsub',
  needs: {
    programs: { go: ['go', '/usr/local/go/bin/go'] },
    packages: ['golang-go', 'ca-certificates'],
    go: { name: 'google-pubsub', folder: fileURLToPath(new URL('./google-pubsub', import.meta.url)) },
  },
  portCount: 1,
  service: 'google-pubsub',
  containerUrl: (port) => `http://127.0.0.1:${port}`,

  async plan({ ports, tools }) {
    const [port = 0] = ports;
    const node = { name: 'main', port, command: tools.programs.driver ?? '', args: [String(port)] };
    return { url: `http://127.0.0.1:${port}`, nodes: [node] };
  },

  ready: listTopics,
};
