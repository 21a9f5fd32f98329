import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import type { Mutant } from './catalog.js';

const run = promisify(execFile);
const COMPILE_MS = 180_000;

/** A compiled copy of all packages outside of the working tree. */
export class WorkspaceCopy {
  private constructor(
    private readonly root: string,
    readonly folder: string,
  ) {}

  static async make(root: string): Promise<WorkspaceCopy> {
    const copy = new WorkspaceCopy(root, await mkdtemp(join(tmpdir(), 'carillon-mutants-')));
    await copy.#fill();
    return copy;
  }

  get command(): string {
    return join(this.folder, 'tools/test/simulator/dist/src/main.js');
  }

  /** Applies the mutant and compiles its packages; the result undoes it. Rejects if it does not apply or compile. */
  async plant({ diff, packages }: Mutant): Promise<() => Promise<void>> {
    const file = join(this.folder, 'mutant.diff');
    await writeFile(file, diff);
    for (const name of packages) await this.#copy(join(name, 'src'));
    const undo = async (): Promise<void> => {
      for (const name of packages) {
        await rm(join(this.folder, name), { recursive: true });
        await this.#package(name);
      }
    };
    try {
      await run('patch', ['-p1', '--fuzz=0', '--no-backup-if-mismatch', '-i', file], { cwd: this.folder });
      for (const name of packages) await this.#compile(name);
    } catch (error) {
      await undo();
      const { stdout = '', message = '' } = error as { readonly stdout?: string; readonly message?: string };
      throw new Error(`does not apply or compile: ${stdout.slice(0, 500) || message}`, { cause: error });
    }
    return undo;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #fill(): Promise<void> {
    await writeFile(join(this.folder, 'package.json'), '{"type":"module"}\n');
    await this.#copy('tsconfig.base.json');
    const scope = join(this.root, 'node_modules/@carillon');
    const modules = join(this.folder, 'node_modules');
    await mkdir(join(modules, '@carillon'), { recursive: true });
    for (const entry of await readdir(join(this.root, 'node_modules')))
      if (entry !== '@carillon' && !entry.startsWith('.'))
        await symlink(join(this.root, 'node_modules', entry), join(modules, entry));
    await this.#package('tools/test/simulator');
    for (const name of await readdir(scope)) {
      const target = relative(this.root, await realpath(join(scope, name)));
      if (!target.startsWith('libs/')) continue;
      await this.#package(target);
      await symlink(join(this.folder, target), join(modules, '@carillon', name));
    }
  }

  /** What a package needs to be loaded: its manifest and its compiled sources. */
  async #package(name: string): Promise<void> {
    await mkdir(join(this.folder, name), { recursive: true });
    await this.#copy(join(name, 'package.json'));
    await this.#copy(join(name, 'dist/src'));
    const nested = join(this.root, name, 'node_modules');
    await symlink(nested, join(this.folder, name, 'node_modules')).catch(() => undefined);
  }

  async #copy(path: string): Promise<void> {
    await cp(join(this.root, path), join(this.folder, path), { recursive: true });
  }

  async #compile(name: string): Promise<void> {
    const folder = join(this.folder, name);
    const manifest = JSON.parse(await readFile(join(this.root, name, 'tsconfig.json'), 'utf8')) as {
      readonly compilerOptions?: object;
    };
    const compilerOptions = {
      ...manifest.compilerOptions,
      composite: false,
      incremental: false,
      tsBuildInfoFile: null,
    };
    const config = { extends: join(this.folder, 'tsconfig.base.json'), compilerOptions, include: ['src'] };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(this.root, 'node_modules/.bin/tsc');
    await run(tsc, ['-p', folder], { timeout: COMPILE_MS });
  }
}
