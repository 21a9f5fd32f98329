// Replaces the native server's pinned package by its authors' own release, under a hash that whoever builds gives.
// Usage: node deploy/docker/native-server.js pinned | official <version> <sha256>
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../tools/run/workspace.js';

const [source, version = '', wanted = ''] = process.argv.slice(2);

async function official() {
  if (!/^v\d+\.\d+\.\d+$/.test(version) || !/^[0-9a-f]{64}$/.test(wanted)) {
    throw new Error('UWS=official needs UWS_VERSION (v20.57.0) and UWS_SHA256 (of its archive)');
  }
  const url = `https://github.com/uNetworking/uWebSockets.js/archive/refs/tags/${version}.tar.gz`;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  const archive = Buffer.from(await answer.arrayBuffer());
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== wanted) throw new Error(`the archive of ${version} has the hash ${found}, not ${wanted}`);
  const folder = mkdtempSync(join(tmpdir(), 'uws-'));
  const file = join(folder, 'archive.tar.gz');
  const target = join(root, 'node_modules/uWebSockets.js');
  writeFileSync(file, archive);
  rmSync(target, { recursive: true });
  execFileSync('mkdir', ['-p', target]);
  execFileSync('tar', ['-xzf', file, '-C', target, '--strip-components=1']);
  rmSync(folder, { recursive: true });
}

if (source === 'official') await official();
else if (source !== 'pinned') throw new Error(`UWS is pinned or official, not ${source}`);
