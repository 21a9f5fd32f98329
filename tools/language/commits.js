// Form of commit subjects: `area: imperative verb and object`.

const MAX_LENGTH = 72;
const FORM = /^[a-z0-9@./-]+: [A-Za-z`@].*[^.]$/;

/** Returns the problem of a commit subject, null if none. Merge and revert commits of git are accepted. */
export function subjectProblem(subject) {
  if (/^(Merge|Revert) /.test(subject)) return null;
  if (subject.length > MAX_LENGTH) return `has ${subject.length} characters; at most ${MAX_LENGTH}`;
  return FORM.test(subject) ? null : 'is not of the form "area: imperative verb and object"';
}
