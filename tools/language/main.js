// Checks doc comments of all sources and the subject of the last commit.
// --by-package prints shares by package; --list PATH prints the comments below a path that break a rule.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages, root } from '../run/workspace.js';
import { brokenRule, docComments, hasPronoun } from './comments.js';
import { subjectProblem } from './commits.js';

/** Doc comments of the workspace that may break a rule: those of packages whose language was not revised yet. */
const MAX_BROKEN = 480;
/** Share of doc comments with a relative pronoun, in percent. */
const MAX_PRONOUNS = 3;

const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });

function* commentsBelow(path) {
  const files = git('ls-files', ...['ts', 'tsx', 'js', 'mjs'].map((type) => `${path}**/*.${type}`));
  for (const file of files.split('\n').filter(Boolean))
    for (const { line, text } of docComments(readFileSync(join(root, file), 'utf8')))
      yield { file, line, text, problem: brokenRule(text) };
}

const share = (part, all) => (all === 0 ? 0 : (100 * part) / all);

function measure(path) {
  const all = [...commentsBelow(path)];
  const broken = all.filter(({ problem }) => problem !== null);
  const pronouns = all.filter(({ text }) => hasPronoun(text));
  return { total: all.length, broken: broken.length, pronouns: share(pronouns.length, all.length) };
}

function printPackages() {
  for (const { folder } of packages()) {
    const { total, broken, pronouns } = measure(`${folder}/`);
    if (broken > 0)
      console.log(`${folder}: ${broken} of ${total} break a rule, ${pronouns.toFixed(1)} % pronouns`);
  }
}

function printBroken(path) {
  for (const { file, line, text, problem } of commentsBelow(path))
    if (problem !== null) console.log(`${file}:${line}: ${problem}: ${text}`);
}

function check() {
  const { total, broken, pronouns } = measure('');
  console.error(
    `language: ${broken} of ${total} doc comments break a rule, ${pronouns.toFixed(1)} % have a relative pronoun`,
  );
  const subject = git('log', '-1', '--format=%s').trim();
  const problem = subjectProblem(subject);
  if (problem !== null) console.error(`language: the subject "${subject}" of the last commit ${problem}`);
  if (broken > MAX_BROKEN)
    console.error(`language: at most ${MAX_BROKEN} may; see node tools/language/main.js --list PATH`);
  if (pronouns > MAX_PRONOUNS)
    console.error(`language: at most ${MAX_PRONOUNS} % may have a relative pronoun`);
  return problem === null && broken <= MAX_BROKEN && pronouns <= MAX_PRONOUNS;
}

const [option, path = ''] = process.argv.slice(2);
if (option === '--by-package') printPackages();
else if (option === '--list') printBroken(path);
else process.exit(check() ? 0 : 1);
