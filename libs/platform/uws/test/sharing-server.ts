// Listens on the given port and answers with its process id. Run by the shared-port test.
import { UwsHttpAdapter, UwsServer } from '../src/index.js';

const [port = '0'] = process.argv.slice(2);
const server = new UwsServer();
const adapter = new UwsHttpAdapter(server);
adapter.fastRoute('GET', '/pid', (_request, response) => response.send({ pid: process.pid }));
const address = await server.listen({ host: '127.0.0.1', port: Number(port) });
process.stdout.write(`listening ${JSON.stringify(address)}\n`);
