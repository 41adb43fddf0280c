/** What test runners wrote down: how many tests ran, and which failed why. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './setup.mjs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */
/** @typedef {{ file: string, test: string, message: string }} Failure `file` is relative to the project. */
/** @typedef {{ counts: Counts, failures: Failure[] }} Outcome */

export const nothing = Object.freeze({ passed: 0, failed: 0, skipped: 0 });

/** One check that is either right or not, such as the compiler's. */
export function oneCheck(name, code) {
  if (code === 0) return { counts: { ...nothing, passed: 1 }, failures: [] };
  return broken(name, `ended with ${code}`);
}

function broken(file, message) {
  return { counts: { ...nothing, failed: 1 }, failures: [{ file, test: '', message }] };
}

/**
 * Vitest's JSON report. A run that wrote none counts as one failure, and so does one that went wrong without a failed test:
 * a file that can't be loaded, an error outside of any test.
 * @returns {Outcome}
 */
export function vitestOutcome(report, code) {
  if (!existsSync(report)) return broken(path.basename(report, '.json'), 'Vitest wrote no report');
  const { numPassedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failures = testResults.flatMap(failuresOf);
  if (code !== 0 && failures.length === 0) {
    failures.push({ file: path.basename(report, '.json'), test: '', message: `Vitest ended with ${code}; see above` });
  }
  const skipped = numPendingTests + numTodoTests;
  return { counts: { passed: numPassedTests, failed: failures.length, skipped }, failures };
}

function failuresOf({ name, status, message, assertionResults }) {
  const file = path.relative(root, name);
  const failed = assertionResults.filter((entry) => entry.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [{ file, test: '', message }] : [];
  return failed.map(({ fullName, failureMessages }) => ({ file, test: fullName, message: failureMessages.join('\n') }));
}

/** The TAP report of Node's own test runner. @returns {Outcome} */
export function tapOutcome(report, code) {
  if (!existsSync(report)) return broken(path.basename(report, '.tap'), 'the test runner wrote no report');
  const text = readFileSync(report, 'utf8');
  const count = (word) => Number(new RegExp(`^# ${word} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const failures = [...text.matchAll(/^ *not ok \d+ - (.*)\n((?: +.*\n)*)/gm)].map(([, test, block]) => ({
    file: /location: '(.*?)(?::\d+)*'/.exec(block)?.[1] ?? path.basename(report, '.tap'),
    test,
    message: /error: (.*(?:\n {4,}.*)*)/.exec(block)?.[1] ?? '',
  }));
  const failed = count('fail') + count('cancelled');
  const counts = { passed: count('pass'), failed, skipped: count('skipped') + count('todo') };
  if (code !== 0 && failed === 0) counts.failed = 1;
  return { counts, failures };
}

/** Long enough for an assertion and the line it stands on; a diff of bodies would bury the other failures. */
const SHOWN_LINES = 12;
const SHOWN_CHARACTERS = 240;

/** A failure as lines for the end of a log, where whoever sees only the end finds it. */
export function describeFailure({ file, test, message }) {
  const plain = message.replaceAll(/\u001b\[[0-9;]*m/g, '');
  const lines = plain.split('\n').filter((line) => line.trim() !== '' && !line.includes('node_modules'));
  const shown = lines.slice(0, SHOWN_LINES).map((line) => `    ${line.slice(0, SHOWN_CHARACTERS)}`);
  return [`  ${file}${test === '' ? '' : ` > ${test}`}`, ...shown].join('\n');
}
