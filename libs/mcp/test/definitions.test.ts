import { MCP_TOOLSETS } from '@carillon/config';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../src/guards/principals.js';
import { ARGUMENT_TEXTS } from '../src/tools/argument-texts.js';
import { Toolbox } from '../src/tools/toolbox.js';
import { everyTool } from './every-tool.js';

interface Schema {
  readonly type?: unknown;
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Schema;
  readonly outputSchema: Schema;
}

const MAX_LIST_BYTES = 40_000;
const ALL: Principal = {
  name: 'all',
  proof: '',
  scopes: new Set(['read', 'write', 'admin']),
  apps: null,
  isAnonymous: false,
};

const toolbox = (toolsets: readonly string[] = ['all']): Toolbox =>
  new Toolbox(everyTool(), { disabled_tools: [], toolsets }, async () => undefined);

const listed = (toolsets?: readonly string[]): readonly Definition[] =>
  toolbox(toolsets)
    .listedFor(ALL, [])
    .map(({ current }) => current as Definition);

const argumentsOf = ({ name, inputSchema }: Definition): readonly (readonly [string, Schema])[] =>
  Object.entries(inputSchema.properties ?? {}).map(([one, schema]) => [`${name}.${one}`, schema]);

/** Every object in a JSON value, itself included. */
const objectsIn = (value: unknown): readonly object[] =>
  typeof value !== 'object' || value === null ? [] : [value, ...Object.values(value).flatMap(objectsIn)];

describe('tools/list', () => {
  it('fits into 40,000 bytes when every toolset is listed', () => {
    const answer = { jsonrpc: '2.0', id: 1, result: { tools: listed() } };
    expect(listed()).toHaveLength(51);
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(MAX_LIST_BYTES);
  });

  it('describes every argument of every tool', () => {
    const undescribed = listed()
      .flatMap(argumentsOf)
      .filter(([, { description }]) => typeof description !== 'string' || description === '');
    expect(undescribed).toEqual([]);
  });

  it('contains no type that is an array of types', () => {
    const types = objectsIn(listed()).filter((one) => 'type' in one && Array.isArray(one.type));
    expect(types).toEqual([]);
  });

  it('describes when each tool is used, and no detail of the HTTP API', () => {
    for (const { name, description } of listed()) {
      expect([name, description]).toEqual([name, expect.stringMatching(/\b(Use|Call) it\b|\buse \w+_\w+/)]);
      expect(description).not.toContain('body_md5');
    }
  });

  it('names the word that confirm_operation has to hold', () => {
    const words = listed()
      .flatMap(argumentsOf)
      .filter(([path]) => path.endsWith('.confirm_operation'))
      .map(([path, schema]) => [path, 'enum' in schema ? schema.enum : undefined]);
    expect(words).toEqual([
      ['purge_channel_history.confirm_operation', ['purge']],
      ['reset_channel_history.confirm_operation', ['reset']],
      ['reset_presence_history.confirm_operation', ['reset']],
    ]);
  });

  it('marks secret arguments as write-only', () => {
    const secret = listed()
      .flatMap(argumentsOf)
      .filter(([, schema]) => 'writeOnly' in schema)
      .map(([path]) => path.replace('put_push_credential.', ''));
    expect(secret.sort()).toEqual([
      'clientSecret',
      'p12',
      'p12Password',
      'pem',
      'privateKey',
      'serviceAccountJson',
    ]);
  });

  it('needs less than 12,000 bytes when three toolsets are listed', () => {
    const names = listed(['service', 'publish', 'channels']).map(({ name }) => name);
    expect(names).toContain('enable_toolset');
    expect(names).toHaveLength(11);
    expect(JSON.stringify(listed(['service', 'publish', 'channels'])).length).toBeLessThan(12_000);
  });
});

describe('the table of argument texts', () => {
  it('has no row that no tool uses', () => {
    const paths = listed()
      .flatMap(argumentsOf)
      .map(([path]) => path);
    const used = new Set(paths.flatMap((path) => [path, path.slice(path.indexOf('.') + 1)]));
    expect(Object.keys(ARGUMENT_TEXTS).filter((row) => !used.has(row))).toEqual([]);
  });
});

describe('the toolsets', () => {
  it('contain every tool once', () => {
    const names = everyTool().map(({ name }) => name);
    expect(Object.values(MCP_TOOLSETS).flat().sort()).toEqual(names.sort());
  });
});
