import { expect, it } from 'vitest';
import { programName } from './program-name.ts';

it.each([
  ['a checkout, from its folder', '/home/me/u/bin/understudy', '/home/me/u', 'bin/understudy'],
  ['a checkout, from elsewhere', '/home/me/u/bin/understudy', '/tmp', '/home/me/u/bin/understudy'],
  ['its own folder', '/home/me/u/bin/understudy', '/home/me/u/bin', './understudy'],
  ['a folder with a space', '/home/me/my u/bin/understudy', '/tmp', '"/home/me/my u/bin/understudy"'],
  ['on the PATH', '/usr/local/bin/understudy', '/tmp', 'understudy'],
  ['installed in a project', '/home/me/p/node_modules/.bin/understudy', '/home/me/p', 'npx understudy'],
])('%s', (_, script, cwd, name) => {
  // npx and npm scripts put the project's .bin in front: the person's shell has it not.
  const path = '/home/me/p/node_modules/.bin:/usr/local/bin:/usr/bin';
  expect(programName({ script, cwd, path, windows: false })).toBe(name);
});

it('on Windows a script needs node in front', () => {
  const started = { script: 'C:\\u\\bin\\understudy', cwd: 'C:\\u', path: 'C:\\Windows;C:\\node', windows: true };
  expect(programName(started)).toBe('node bin\\understudy');
  const script = 'C:\\p\\node_modules\\understudy-gateway\\bin\\understudy';
  expect(programName({ ...started, script })).toBe('npx understudy');
});
