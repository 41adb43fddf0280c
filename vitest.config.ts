import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'sim/**/*.test.ts',
      'test/**/*.test.ts',
      'bench/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    exclude: ['test/sdk/newest/**', 'node_modules/**', 'dist/**'],
    setupFiles: ['test/support/drawn-once.ts'],
    // Guards only, ten times too wide: a test asserts order, counts and virtual time, never a wall-clock limit.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
