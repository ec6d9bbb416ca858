using FASTER.core;
using Faster;
using Faster.SideBySide;

const int Keys = 1_000;

// A store of FASTER C# with some records, each of which moves to a store of this library.
using var settings = new FasterKVSettings<long, long>(null!);
using var old = new FasterKV<long, long>(settings);
using var from = old.NewSession(new SimpleFunctions<long, long>());
for (long key = 0; key < Keys; key++)
{
    long value = key * key;
    _ = from.Upsert(ref key, ref value);
}

await using Squares.Store store = await Squares.OpenAsync(null, new StoreOptions { MemoryBudget = ByteSize.MiB(1) });
using Squares.Session session = store.StartSession();
using var records = from.Iterate();
int moved = 0;
for (; records.GetNext(out _); moved++) await session.UpsertAsync(records.GetKey(), records.GetValue());

long sum = 0;
for (long key = 0; key < Keys; key++) sum += (await session.ReadAsync(key)).Value;
Console.WriteLine($"moved={moved} sum={sum}");
