namespace Faster.Conformance.Engines.Kinds;

/// <summary>Stores of <see cref="Cells"/> on any engine.</summary>
internal static class CellStores
{
    /// <summary>An open store.</summary>
    public static StoreUnderTest<long, long> Of(Cells.IStore store) =>
        new(store, new(_ => new CellsSession(store.StartSession()), ScanAsync: null));
}
