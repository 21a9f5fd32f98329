import { referencePage } from './reference.js';

/** Everything that is written from the command tree. */
export const generatedPages = (): { path: string; content: string }[] => [
  { path: 'docs/reference/command.md', content: referencePage() },
];
