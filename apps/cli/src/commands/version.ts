import { VERSION } from '../program/documentation.js';
import type { Invocation } from '../program/invocation.js';

/** With `--url`, also asks the service; the probe names its version in a header or not at all. */
export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const own = {
    version: VERSION,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
  const service = values.has('url') ? await serviceVersion(invocation) : undefined;
  const all = service === undefined ? own : { ...own, service };
  terminal.result(all, () => {
    terminal.line(VERSION);
    if (service !== undefined) terminal.line(`service ${service ?? 'unknown'}`);
  });
}

async function serviceVersion(invocation: Invocation): Promise<string | null> {
  const { probe } = await import('../api/probe.js');
  return (await probe(invocation)).version;
}
