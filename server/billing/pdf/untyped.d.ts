declare module 'linebreak' {
  /** The places at which a line may be broken (UAX 14). */
  export default class LineBreaker {
    constructor(text: string);
    nextBreak(): { position: number; required: boolean } | null;
  }
}

// It is CommonJS, and its own types say otherwise.
declare module 'bidi-js' {
  /** The bidirectional algorithm (UAX 9); all indexes are those of UTF-16. */
  export default function bidiFactory(): {
    getEmbeddingLevels(text: string): { levels: Uint8Array };
    getMirroredCharactersMap(text: string, levels: Uint8Array): Map<number, string>;
  };
}

// Node.js has it, and @types/node leaves it to the library of browsers.
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  function instantiate(bytes: Uint8Array): Promise<{ instance: { exports: unknown } }>;
}
