// DynamoDB Local, in memory. Any credentials and region are taken, and all of them see the same tables.
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';
import { javaArgs, javaNeeds } from './java.js';

const HEAP_MB = 192;
const MAIN = fileURLToPath(new URL('./DynamoDbOnLoopback.java', import.meta.url));
/** The form must be right; the signature is not looked at. */
const AUTHORIZATION =
  'AWS4-HMAC-SHA256 Credential=carillon/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

/** One request of the DynamoDB protocol. @param {string} url @param {string} action @param {Record<string, unknown>} body */
export const dynamo = (url, action, body) =>
  json(`${url}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${action}`,
      authorization: AUTHORIZATION,
    },
    body: JSON.stringify(body),
  });

/** @type {import('../types.js').Engine} */
export const dynamodb = {
  name: 'dynamodb',
  needs: {
    programs: { ...javaNeeds.programs, compiler: ['javac'] },
    packages: javaNeeds.packages,
    artifact: { name: 'dynamodb', coordinates: ['com.amazonaws:DynamoDBLocal:2.6.1'] },
  },
  portCount: 1,
  service: 'dynamodb',
  containerUrl: (port) => `http://127.0.0.1:${port}`,

  async plan({ ports, tools }) {
    const [port = 0] = ports;
    const args = [
      `-Dsqlite4java.library.path=${tools.jars}`,
      ...javaArgs(tools.jars, HEAP_MB),
      MAIN,
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ];
    const node = { name: 'main', port, command: tools.programs.java ?? '', args };
    return { url: `http://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await dynamo(url, 'ListTables', {});
  },
};
