/** Gives a page its document title, and catches its faults so that the rest of the console stays. */
import { Component, type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import type { PageEntry } from '../pages.ts';
import { useWords } from '../words/words.ts';
import { Crashed } from './dead-ends.tsx';

interface PageFrameProps {
  readonly title: PageEntry['title'] | 'not_found.title';
  readonly children: ReactNode;
}

export function PageFrame({ title, children }: PageFrameProps) {
  const say = useWords();
  const { pathname } = useLocation();
  const words = `${say(title)} · ${say('product')}`;
  useEffect(() => {
    document.title = words;
  }, [words]);
  return <Boundary key={pathname}>{children}</Boundary>;
}

class Boundary extends Component<{ readonly children: ReactNode }, { readonly fault: unknown }> {
  override state: { readonly fault: unknown } = { fault: null };

  static getDerivedStateFromError(fault: unknown) {
    return { fault: fault ?? new Error('unknown') };
  }

  override render() {
    if (this.state.fault === null) return this.props.children;
    return <Crashed fault={this.state.fault} onRetry={() => this.setState({ fault: null })} />;
  }
}
