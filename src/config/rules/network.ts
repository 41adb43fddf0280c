/** Exceptions from G-9: each must be something an address or a host can be compared with. */
import { exceptionFault } from '../../core/net/network-rules.ts';
import { listAt, type Review, report, textAt } from './loose.ts';

export function checkNetwork(review: Review): void {
  listAt(review, 'network', 'allow_private').forEach((_, index) => {
    const path = ['network', 'allow_private', index];
    const entry = textAt(review, ...path);
    const fault = entry === null || entry === '' ? null : exceptionFault(entry);
    if (fault !== null) report(review, 'invalid_value', path, fault);
  });
}
