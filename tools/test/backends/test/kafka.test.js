import { describe, expect, it } from 'vitest';
import { engine } from '../src/index.js';
import { kafkaApis, kafkaBrokers } from '../src/wire/kafka.js';

const PRODUCE = 0;
const FETCH = 1;
const CREATE_TOPICS = 19;

describe('kafka', () => {
  it('takes the requests of producers, consumers and administrators', async () => {
    const { url } = await engine('kafka');
    expect(await kafkaApis(url)).toEqual(expect.arrayContaining([PRODUCE, FETCH, CREATE_TOPICS]));
  });

  it('names itself to clients by the address it was reached at', async () => {
    const { url, host, port } = await engine('kafka');
    expect(await kafkaBrokers(url)).toEqual([`${host}:${port}`]);
  });
});
