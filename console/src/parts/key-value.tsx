/** Facts about one thing: a name and a value each. */
import type { ReactNode } from 'react';
import styles from './key-value.module.css';

export interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

export function KeyValue({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.list}>
      {facts.map(({ name, value }) => (
        <div key={name} className={styles.fact}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.value}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
