using Faster.Conformance.Contract;
using Faster.Engines;

namespace Faster.Conformance.Engines.FasterStore.Coherence;

/// <summary>Keys that never change: whatever is done to the log and the index, each read and scan finds them.</summary>
/// <remarks>Thread-safe: it holds no state that changes.</remarks>
internal sealed class SteadyKeys<TKey, TValue>(Flavor<TKey, TValue> flavor)
    where TKey : notnull
{
    private const int Count = 200;
    private const long FirstKey = 10_000;

    /// <summary>Writes them.</summary>
    public void Load(ISessionUnderTest<TKey, TValue> session)
    {
        for (long key = FirstKey; key < FirstKey + Count; key++)
            session.UpsertNow(flavor.Key(key), flavor.Value(key));
    }

    /// <summary>Reads one key, the first ones most often.</summary>
    public void ReadOne(ISessionUnderTest<TKey, TValue> session, Random random) =>
        Read(session, FirstKey + random.Next(1 + random.Next(Count)));

    /// <summary>Reads all.</summary>
    public void ReadAll(ISessionUnderTest<TKey, TValue> session)
    {
        for (long key = FirstKey; key < FirstKey + Count; key++) Read(session, key);
    }

    /// <summary>Asserts that a scan returns each of them once, and no key twice.</summary>
    public async Task ScanAsync(FasterStoreUnderTest<TKey, TValue> store)
    {
        var found = new Dictionary<TKey, TValue>(flavor.KeyEquality);
        await foreach ((TKey key, TValue value) in store.ScanAsync())
            Assert.True(found.TryAdd(key, value), $"A scan has found key {key} twice.");
        for (long key = FirstKey; key < FirstKey + Count; key++)
        {
            Assert.True(found.TryGetValue(flavor.Key(key), out TValue? value), $"A scan has not found key {key}.");
            Assert.True(flavor.Model.Equality.Equals(flavor.Value(key), value), $"A scan, key {key}");
        }
    }

    private void Read(ISessionUnderTest<TKey, TValue> session, long key)
    {
        ReadResult<TValue> found = session.ReadNow(flavor.Key(key));
        if (found.Found && flavor.Model.Equality.Equals(flavor.Value(key), found.Value)) return;
        Assert.Fail($"Key {key}, never changed: {(found.Found ? flavor.Model.Show(found.Value) : "nothing")}.");
    }
}
