import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, it } from 'vitest';
import { optional, provider, token } from '@carillon/runtime';

interface Bell {
  readonly tone: string;
}

const BELL = token<Bell>('bell');
const CLAPPER = token<number>('clapper');
const ROPE = token<string>('rope');
const TOWER = token<object>('tower');

const tower = provider(
  TOWER,
  { rope: optional(ROPE), weight: CLAPPER, bell: BELL },
  ({ bell, weight, rope }) => ({ tone: bell.tone, weight, rope }),
);

@Module({
  providers: [{ provide: CLAPPER, useValue: 40 }, provider(BELL, {}, async () => ({ tone: 'f' })), tower],
})
class Belfry {}

it('makes something of parts by their names, and without one that nobody provides', async () => {
  const nest = await NestFactory.createApplicationContext(Belfry, { logger: false });
  expect(nest.get(TOWER)).toEqual({ tone: 'f', weight: 40, rope: undefined });
  await nest.close();
});

it('leaves it to the compiler that parts and what is made of them agree', () => {
  // @ts-expect-error a number is no bell
  provider(BELL, { weight: CLAPPER }, ({ weight }) => weight);
  // @ts-expect-error the rope may be absent
  provider(ROPE, { rope: optional(ROPE) }, ({ rope }) => rope);
  // @ts-expect-error the token is not among the dependencies
  provider(ROPE, { weight: CLAPPER }, ({ rope }) => rope);
  expect(tower.inject).toHaveLength(3);
});
