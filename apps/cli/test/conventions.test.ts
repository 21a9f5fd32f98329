import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@carillon/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runCommand } from './run-command.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('carillon', () => {
  it('prints its version without loading NestJS', async () => {
    const folder = emptyFolder();
    const spy = join(folder, 'spy.mjs');
    writeFileSync(
      spy,
      `import { registerHooks } from 'node:module';
       import module from 'node:module';
       process.on('exit', () => {
         const loaded = Object.keys(module._cache ?? {}).filter((name) => name.includes('@nestjs'));
         if (loaded.length > 0) process.stderr.write('nestjs loaded');
       });`.replace("import { registerHooks } from 'node:module';\n", ''),
    );
    const { code, stdout, stderr } = await runCommand(['--version'], { node: ['--import', spy] });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const json = await runCommand(['version', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({
      version: stdout.trim(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    });
  });

  it('prints synopsis, flags, exit codes and examples as help', async () => {
    const { code, stdout } = await runCommand(['publish', '--help']);
    expect(code).toBe(0);
    for (const text of [
      'Usage: carillon publish',
      '--idempotency-key <KEY>',
      'Exit codes:',
      '69',
      'Examples:',
    ])
      expect(stdout).toContain(text);
    expect((await runCommand(['help', 'publish'])).stdout).toBe(stdout);
    expect((await runCommand(['help', 'nothing'])).code).toBe(64);
  });

  it.each([
    [['pubish'], 'did you mean "publish"?'],
    [['apps', 'lst'], 'did you mean "list"?'],
    [['publish', 'a', 'b', '--idempotencykey', 'x'], 'did you mean "--idempotency-key"?'],
    [['publish', 'a'], 'argument EVENT is missing'],
    [['publish', 'a', 'b', 'c', '--timeout', 'abc'], '--timeout "abc" is not a duration'],
    [['publish', 'a', 'b', '-', '--secret', '-'], 'cannot read it too'],
    [['publish', 'a', 'b', '--url', 'http://a', '--url', 'http://b'], '--url is given twice'],
    [['completion', 'powershell'], 'expected one of bash, zsh, fish'],
    [['apps', 'list'], 'no operator token is given'],
    [['disconnect', '--user', 'ada'], 'needs a confirmation'],
    [
      ['token', 'mint', 'capability', '--client-id', 'a', '--allow', '*=nothing'],
      'operation "nothing" is unknown',
    ],
    [['token', 'mint', 'capability', '--client-id', 'a', '--allow', '*=publish', '--ttl', '25h'], '86400'],
    [['token', 'mint', 'capability', '--client-id', '', '--allow', '*=publish'], '--client-id is missing'],
  ])('exits 64 with the reason when called with %j', async (args, reason) => {
    const { code, stdout, stderr } = await runCommand(args);
    expect(stderr).toContain(reason);
    expect([code, stdout]).toEqual([64, '']);
  });

  it('exits 69 with error, cure and docs when the port is closed, and with one JSON line with --json', async () => {
    const args = ['publish', 'a', 'b', 'c', '--url', `http://127.0.0.1:${await freePort()}`];
    const { code, stdout, stderr } = await runCommand(args);
    expect([code, stdout]).toEqual([69, '']);
    expect(stderr).toMatch(
      /^error: cannot reach http:\S+: connection refused\ncure: .+\ndocs: .+#unreachable\n$/,
    );
    const json = await runCommand([...args, '--json']);
    expect(json.code).toBe(69);
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'unreachable', status: null, exit_code: 69 });
  });

  it('exits 69 when the port is silent longer than --timeout', async () => {
    const server = createServer();
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect((await runCommand(['channels', '--url', url, '--timeout', '200ms'])).code).toBe(69);
  });

  it('refuses a profiles file that others can read, and names known profiles', async () => {
    const folder = emptyFolder();
    mkdirSync(join(folder, 'carillon'));
    const file = join(folder, 'carillon/config.toml');
    writeFileSync(
      file,
      '[profiles.staging]\nurl = "http://127.0.0.1:1"\napp_id = "7"\nkey = "k"\nsecret = "profile-secret"\n',
    );
    const env = { XDG_CONFIG_HOME: folder };
    chmodSync(file, 0o644);
    const open = await runCommand(['channels', '--profile', 'staging'], { env });
    expect(open.code).toBe(78);
    expect(open.stderr).toContain(`chmod 600 ${file}`);
    chmodSync(file, 0o600);
    const unknown = await runCommand(['channels', '--profile', 'production'], { env });
    expect(unknown.code).toBe(64);
    expect(unknown.stderr).toContain('staging');
    const token = await runCommand(
      ['token', 'mint', 'user', '--socket-id', '1.2', '--user-id', 'u', '--profile', 'staging'],
      { env },
    );
    expect(JSON.parse(token.stdout)).toMatchObject({ auth: expect.stringMatching(/^k:/) });
    const verbose = await runCommand(['channels', '--profile', 'staging', '--verbose'], { env });
    expect(verbose.code).toBe(69);
    expect(verbose.stderr).not.toMatch(/profile-secret|auth_signature/);
  });

  it('drops key and secret of a lower level when a higher one names another app', async () => {
    const env = { CARILLON_APP_ID: '1', CARILLON_APP_KEY: 'k', CARILLON_APP_SECRET: 's' };
    const { code, stderr } = await runCommand(['channels', '--app', '2'], { env });
    expect(code).toBe(64);
    expect(stderr).toContain('no key for app "2"');
  });

  it('colours output with --color only, when it is not a terminal', async () => {
    const folder = emptyFolder();
    const token = (
      await runCommand(['token', 'mint', 'capability', '--client-id', 'a', '--allow', '*=publish'])
    ).stdout.trim();
    const inspect = async (...flags: string[]) =>
      (await runCommand(['token', 'inspect', '-', ...flags], { stdin: token, cwd: folder })).stdout;
    expect(await inspect()).not.toContain('\u001b');
    expect(await inspect('--color')).toContain('\u001b[1m');
    expect(await inspect('--color', '--no-color')).not.toContain('\u001b');
  });

  it('prints the same example and schema as the generated files, and a configuration without secrets', async () => {
    expect((await runCommand(['config', 'example'])).stdout).toBe(
      readFileSync(join(ROOT, 'config/config.example.toml'), 'utf8'),
    );
    expect((await runCommand(['config', 'schema'])).stdout).toBe(
      readFileSync(join(ROOT, 'docs/reference/config.schema.json'), 'utf8'),
    );
    const printed = await runCommand(['config', 'print'], {
      env: { DATABASE_POSTGRES_PASSWORD: 'hush-hush' },
    });
    expect(JSON.parse(printed.stdout)).toHaveProperty('database.postgres.password', '<redacted>');
    expect(printed.stdout).not.toContain('hush-hush');
  });

  it('exits 78 with every problem when the configuration is invalid', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'bad.toml');
    writeFileSync(file, 'port = "x"\n[history]\nmax_page_size = -1\n');
    const { code, stdout } = await runCommand(['config', 'check', file, '--json']);
    expect(code).toBe(78);
    const { valid, problems } = JSON.parse(stdout) as { valid: boolean; problems: { path: string }[] };
    expect(valid).toBe(false);
    expect(problems.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['port', 'history.max_page_size']),
    );
  });

  it('inspects a token: valid with the credentials, unchecked without, invalid with another secret', async () => {
    const app = ['--app', '7', '--key', 'k', '--secret', 'real'];
    const mint = await runCommand([
      'token',
      'mint',
      'capability',
      '--client-id',
      'ada',
      '--allow',
      'r:*=subscribe,history',
      ...app,
    ]);
    const inspect = async (...flags: string[]) =>
      runCommand(['token', 'inspect', '-', '--json', ...flags], { stdin: mint.stdout });
    expect(JSON.parse((await inspect(...app)).stdout)).toMatchObject({
      signature: 'valid',
      expired: false,
      problems: [],
    });
    expect(JSON.parse((await inspect()).stdout)).toMatchObject({ signature: 'unchecked' });
    const wrong = await inspect('--app', '7', '--key', 'k', '--secret', 'other');
    expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([1, { signature: 'invalid' }]);
    expect((await runCommand(['token', 'inspect', 'nonsense'])).code).toBe(64);
  });

  it('generates a key pair of P-256 whose parts belong together', async () => {
    const { stdout } = await runCommand(['push', 'keys', '--json']);
    const { public_key: publicKey, private_key: privateKey } = JSON.parse(stdout) as Record<string, string>;
    const { createECDH } = await import('node:crypto');
    const pair = createECDH('prime256v1');
    pair.setPrivateKey(Buffer.from(privateKey ?? '', 'base64url'));
    expect(pair.getPublicKey('base64url')).toBe(publicKey);
  });

  it('completes commands in bash', async () => {
    const { stdout } = await runCommand(['completion', 'bash']);
    const { execFileSync } = await import('node:child_process');
    const complete = (words: string): string =>
      execFileSync('bash', [
        '-c',
        `${stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _carillon; echo "\${COMPREPLY[@]}"`,
      ])
        .toString()
        .trim();
    expect(complete('carillon pub')).toBe('publish');
    expect(complete('carillon apps rot')).toBe('rotate-secret');
    expect(complete('carillon token mint cap')).toBe('capability');
    expect(complete('carillon doctor --process gate')).toBe('gateway');
  });
});
