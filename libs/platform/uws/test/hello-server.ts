// One Nest controller on this platform, as a process: what `tools/test/bench` measures beside the bare native handler.
import { Controller, Get } from '@nestjs/common';
import { EXPOSED_HEADERS } from '../src/index.js';
import { startApp } from './app.js';

@Controller('hello')
class HelloController {
  @Get()
  hello(): object {
    return { hello: 'world' };
  }
}

const cors = {
  anyOrigin: true,
  matches: () => true,
  methods: ['GET'],
  allowedHeaders: [],
  exposedHeaders: EXPOSED_HEADERS,
  credentials: false,
};
const withCors = process.argv.includes('--cors');
const { port } = await startApp({
  metadata: { controllers: [HelloController] },
  ...(withCors ? { adapter: { cors } } : {}),
  port: Number(process.env['PORT'] ?? 0),
});
process.stdout.write(`listening ${port}\n`);
