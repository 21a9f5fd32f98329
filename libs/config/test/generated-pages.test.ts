import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { leavesOf } from '../src/kernel/walk.js';
import { envNames } from '../src/pages/entries.js';
import { generatedPages } from '../src/generated-pages.js';
import { schema } from '../src/schema/index.js';
import { printed, runs } from './harness.js';

const page = (path: string): string => generatedPages().find((page) => page.path === path)?.content ?? '';
const example = page('config/config.example.toml');
const ID = { INSTANCE_PROCESS_ID: 'same' };

describe('the example file', () => {
  it('changes nothing as it is', () => {
    const { config, warnings } = runs({ toml: example, env: ID });
    expect(warnings).toEqual([]);
    expect(config).toEqual(runs({ env: ID }).config);
  });

  it('gives exactly the defaults when every setting is uncommented', () => {
    const toml = example.replaceAll(/^#(?! )/gm, '');
    expect(Object.keys(parse(toml)).length).toBeGreaterThan(40);
    expect(runs({ toml, env: ID }).config).toEqual(runs({ env: ID }).config);
  });
});

describe('the printed tree', () => {
  it('is a file with the same effect', () => {
    const first = printed({ env: ID });
    expect(printed({ json: first })).toEqual(first);
  });
});

describe('the reference and the other pages', () => {
  it('name every setting and every variable', () => {
    const reference = page('docs/reference/configuration.md');
    const env = page('.env.example');
    for (const { path, node } of leavesOf(schema)) {
      expect(reference).toContain(`\`${path.slice(path.lastIndexOf('.') + 1)}\``);
      for (const name of envNames(node)) {
        expect(reference).toContain(`\`${name}\``);
        expect(env).toContain(`#${name}=`);
      }
    }
  });

  it('include a JSON schema with every section', () => {
    const { properties } = JSON.parse(page('docs/reference/config.schema.json')) as { properties: object };
    expect(Object.keys(properties)).toEqual(Object.keys(schema.fields));
  });
});
