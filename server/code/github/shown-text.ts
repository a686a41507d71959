/** What GitHub says, as far as it is shown and as the database can store it. */
export const shownText = (text: string, longest: number): string =>
  text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd');
