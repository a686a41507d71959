import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SIGNED_IN } from '../data/forget-drafts.ts';
import { sessionQuery } from '../data/session.ts';

/**
 * The page begins anew when another tab signs out, or signs in as somebody else: what is typed here
 * would else be sent in their name.
 */
export function useSameSession(): void {
  const id = useQuery(sessionQuery).data?.user?.id;
  useEffect(() => {
    if (id === undefined) return;
    try {
      localStorage.setItem(SIGNED_IN, id);
    } catch {
      // A browser without storage tells no other tab.
    }
    const listen = ({ key, newValue }: StorageEvent) => {
      if (key === SIGNED_IN && newValue !== id) location.reload();
    };
    addEventListener('storage', listen);
    return () => removeEventListener('storage', listen);
  }, [id]);
}
