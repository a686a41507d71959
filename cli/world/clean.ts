/** A text as it is stored: trimmed, in NFC (ruling 1.16). */
export const clean = (text: string): string => text.trim().normalize('NFC');
