import { defineConfig } from 'vitest/config';

// Tests run as compiled by the one compiler that also makes what ships: decorators, metadata and module
// resolution are then the same in both.
export default defineConfig({
  test: {
    include: ['{libs/*,apps,tools}/*/dist/test/**/*.test.js', 'tools/*/test/**/*.test.js'],
    exclude: ['**/node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
