/** The part of transit-js that is used. The package contains no declarations. */
declare module "transit-js" {
  interface MapBuilder {
    init(): Record<string, unknown>;
    add(
      map: Record<string, unknown>,
      key: unknown,
      value: unknown,
      node: unknown,
    ): Record<string, unknown>;
    finalize(map: Record<string, unknown>): Record<string, unknown>;
    fromArray?(entries: readonly unknown[]): Record<string, unknown>;
  }

  interface ReaderOptions {
    readonly handlers: Readonly<Record<string, (representation: never) => unknown>>;
    readonly mapBuilder: MapBuilder;
  }

  interface Reader {
    read(text: string): unknown;
  }

  const transit: { reader(format: "json", options: ReaderOptions): Reader };
  export default transit;
}
