// moto: SNS, SQS and DynamoDB in memory. It accepts any credentials; topics, queues and tables are per account and region.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { json } from '../wire/http.js';

const SERVER = fileURLToPath(new URL('./moto-server.py', import.meta.url));

/** Exact versions of moto's server and everything it imports. */
const REQUIREMENTS = readFileSync(new URL('./moto-requirements.txt', import.meta.url), 'utf8')
  .trim()
  .split('\n');

/** The region and service of a request are read from here; the signature is not checked. @param {string} service */
const authorization = (service) =>
  `AWS4-HMAC-SHA256 Credential=carillon/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=0`;

/** One request of the SNS protocol. @param {string} url @param {string} action @param {Record<string, string>} parameters */
export async function sns(url, action, parameters = {}) {
  const response = await fetch(`${url}/`, {
    method: 'POST',
    headers: { authorization: authorization('sns') },
    body: new URLSearchParams({ Action: action, Version: '2010-03-31', ...parameters }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${action}: ${response.status} ${text}`);
  return text;
}

/** One request of the DynamoDB protocol. @param {string} url @param {string} action @param {Record<string, unknown>} body */
export const dynamo = (url, action, body) =>
  json(`${url}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${action}`,
      authorization: authorization('dynamodb'),
    },
    body: JSON.stringify(body),
  });

/** @type {import('../types.js').Engine} */
export const moto = {
  name: 'moto',
  needs: {
    programs: { python: ['python3'] },
    packages: ['python3', 'python3-venv'],
    pip: { name: 'moto-5.2.5', requirements: REQUIREMENTS },
  },
  portCount: 1,
  service: 'moto',
  containerUrl: (port) => `http://127.0.0.1:${port}`,

  async plan({ ports, tools }) {
    const [port = 0] = ports;
    const args = [SERVER, '-H', '127.0.0.1', '-p', String(port)];
    const node = { name: 'main', port, command: tools.programs.python ?? '', args };
    return { url: `http://127.0.0.1:${port}`, nodes: [node] };
  },

  async ready(url) {
    await sns(url, 'ListTopics');
  },
};
