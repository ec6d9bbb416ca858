using Faster.Conformance.Contract;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Keys that nobody changes: whatever is done to the log and the index, each read and scan finds them.
/// </summary>
/// <remarks>Thread-safe: it only reads.</remarks>
internal sealed class SteadyKeys<TKey, TValue>(Flavour<TKey, TValue> flavour)
    where TKey : notnull
{
    private const int Count = 200;
    private const long FirstKey = 10_000;

    /// <summary>Writes them.</summary>
    public void Load(ISessionUnderTest<TKey, TValue> session)
    {
        for (long key = FirstKey; key < FirstKey + Count; key++)
            session.UpsertNow(flavour.Key(key), flavour.Value(key));
    }

    /// <summary>Reads one, the first ones most often.</summary>
    public void ReadOne(ISessionUnderTest<TKey, TValue> session, Random random) =>
        Read(session, FirstKey + random.Next(1 + random.Next(Count)));

    /// <summary>Reads all.</summary>
    public void ReadAll(ISessionUnderTest<TKey, TValue> session)
    {
        for (long key = FirstKey; key < FirstKey + Count; key++) Read(session, key);
    }

    /// <summary>Asserts that a scan gives each of them once, and no key twice.</summary>
    public async Task ScanAsync(FasterStoreUnderTest<TKey, TValue> store)
    {
        var found = new Dictionary<TKey, TValue>(flavour.KeyEquality);
        await foreach ((TKey key, TValue value) in store.ScanAsync())
            Assert.True(found.TryAdd(key, value), $"A scan has found key {key} twice.");
        for (long key = FirstKey; key < FirstKey + Count; key++)
        {
            Assert.True(found.TryGetValue(flavour.Key(key), out TValue? value), $"A scan has not found key {key}.");
            Assert.True(flavour.Model.Equality.Equals(flavour.Value(key), value), $"A scan, key {key}");
        }
    }

    private void Read(ISessionUnderTest<TKey, TValue> session, long key)
    {
        ReadResult<TValue> found = session.ReadNow(flavour.Key(key));
        if (found.Found && flavour.Model.Equality.Equals(flavour.Value(key), found.Value)) return;
        Assert.Fail($"Key {key}, never changed: {(found.Found ? flavour.Model.Show(found.Value) : "nothing")}.");
    }
}
