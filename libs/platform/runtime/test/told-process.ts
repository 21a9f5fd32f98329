// A process controlled by its standard input: one dependency that connects, fails or waits, and one slow request that
// is answered on request.
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import { Controller, Get, Inject, Module } from '@nestjs/common';
import { bootstrap, STARTUP, type Startup } from '../src/index.js';

const words = new EventEmitter();
const said = new Set<string>();
createInterface({ input: process.stdin }).on('line', (word) => {
  said.add(word);
  words.emit(word);
});

/** Resolves immediately if the word has already arrived. */
const told = async (word: string): Promise<void> => {
  if (!said.has(word)) await once(words, word);
};

@Controller('slow')
class SlowController {
  @Get()
  async slow(): Promise<object> {
    process.stdout.write('slow request begun\n');
    await told('answer');
    return { late: true };
  }
}

@Module({ controllers: [SlowController] })
class ToldModule {
  constructor(@Inject(STARTUP) startup: Startup) {
    startup.needs({
      name: 'told store',
      connect: () => {
        if (process.env['UNREACHABLE'] === 'true') throw new Error('refused at postgres://user:hush@db');
        return told('connect');
      },
    });
  }
}

await bootstrap({ process: 'server', drivers: {}, modules: () => [ToldModule] });
