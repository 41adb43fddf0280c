/** Several views of one thing. */
import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';
import styles from './tabs.module.css';

export interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly label: ReactNode; readonly content: ReactNode }[];
  readonly chosen?: string;
  readonly onChoose?: (id: string) => void;
}

export function Tabs({ label, tabs, chosen, onChoose }: TabsProps) {
  return (
    <AriaTabs
      className={styles.tabs ?? ''}
      {...(chosen === undefined ? {} : { selectedKey: chosen })}
      {...(onChoose === undefined ? {} : { onSelectionChange: (key) => onChoose(String(key)) })}
    >
      <TabList className={styles.list ?? ''} aria-label={label}>
        {tabs.map(({ id, label: words }) => (
          <Tab key={id} id={id} className={styles.tab ?? ''}>
            {words}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className={styles.panel ?? ''}>
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
