import { afterAll, beforeAll, expect, it } from 'vitest';
import { conformance, Interpreter } from '../harness/conformance.js';
import { onServer } from '../harness/every-app.js';
import { Mcp, mcpSection, TOKENS } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

/** What the suite calls things that every server is to have for it, and what of ours is asked for instead. */
const WORDS = {
  test_simple_text: 'get_health',
  test_error_handling: 'get_app_health',
  test_prompt_with_arguments: 'compose_event',
  arg1: 'channel',
  arg2: 'purpose',
  'test://static-text': 'service://docs/channels',
  'test://template/123/data': 'service://apps/shop/channels/123/history',
};

const FOREIGN = 'the suite asks for a thing of its own, and what it would show does not exist here: ';
const NO_CONTENT = `${FOREIGN}every tool answers with JSON, never images, sounds or links`;
const NO_RETURN = `${FOREIGN}nothing is asked of a client, and answers are one object, never a stream`;

/** Scenarios that must fail: what they find, and why that is right. Everything else passes. */
const REFUSED: Readonly<Record<string, readonly [finding: RegExp, reason: string]>> = {
  'logging-set-level': [/-32601/, 'logs are for operators: logging/setLevel is an unknown method'],
  'resources-subscribe': [/-32601/, 'resources are read when needed; subscribing is not offered'],
  'resources-unsubscribe': [/-32601/, 'resources are read when needed; subscribing is not offered'],
  'prompts-get-simple': [/unknown prompt/, 'every prompt is about something that has to be named'],
  'json-schema-2020-12': [
    /'json_schema_2020_12_tool' not found/,
    `${FOREIGN}a tool that exists to be listed`,
  ],
  'tools-call-image': [/Unknown tool/, NO_CONTENT],
  'tools-call-audio': [/Unknown tool/, NO_CONTENT],
  'tools-call-embedded-resource': [/Unknown tool/, NO_CONTENT],
  'tools-call-mixed-content': [/Unknown tool/, NO_CONTENT],
  'resources-read-binary': [/-32002/, `${FOREIGN}resources are JSON and Markdown`],
  'prompts-get-embedded-resource': [/unknown prompt/, `${FOREIGN}prompts are texts`],
  'prompts-get-with-image': [/unknown prompt/, `${FOREIGN}prompts are texts`],
  'tools-call-with-logging': [/-32601/, NO_RETURN],
  'tools-call-with-progress': [/Unknown tool/, NO_RETURN],
  'tools-call-sampling': [/Unknown tool/, NO_RETURN],
  'tools-call-elicitation': [/Unknown tool/, NO_RETURN],
  'elicitation-sep1034-defaults': [/Unknown tool/, NO_RETURN],
  'elicitation-sep1330-enums': [/Unknown tool/, NO_RETURN],
};

/** Scenarios of the suite that is pinned: none disappears unseen. */
const SCENARIOS = 32;

onServer(
  'The official conformance suite',
  {
    tenants: [tenant('shop'), tenant('blog')],
    config: { ...mcpSection(), history: { enabled: true, backend: 'memory' } },
  },
  (node) => {
    const { token = '' } = TOKENS.find(({ name }) => name === 'all') ?? {};
    const interpreter = new Interpreter(() => node.port, token, WORDS);
    let found: Readonly<Record<string, readonly string[]>> = {};

    beforeAll(async () => {
      await node.api().publish('123', 'made', 'of channel 123');
      found = await conformance(await interpreter.listen());
    });
    afterAll(() => interpreter.close());

    it('finds nothing but what is refused on purpose', () => {
      const failed = Object.keys(found).filter((name) => found[name]?.length !== 0);
      expect(Object.keys(found)).toHaveLength(SCENARIOS);
      expect(failed.sort()).toEqual(Object.keys(REFUSED).sort());
      for (const [name, [finding]] of Object.entries(REFUSED))
        expect([name, found[name]]).toEqual([name, [expect.stringMatching(finding)]]);
    });

    it('leaves the endpoint in order', async () => {
      expect((await new Mcp(() => node.port).stateless('tools/list')).status).toBe(200);
    });
  },
);
