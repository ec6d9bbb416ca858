namespace Faster.MemoryProbe.Overlap;

/// <summary>
/// Three threads misuse one session. A second session keeps to the rules, on keys of its own: what does it read?
/// </summary>
internal static class BystanderProbe
{
    private const int Misusers = 3, Keys = 400, MisusedKeys = 300;

    /// <summary>Runs some pairs of an update and a read on one engine, and prints how many reads were wrong.</summary>
    /// <param name="engine">faster, tiered or ring.</param>
    /// <param name="pairs">How many pairs the second session makes.</param>
    /// <param name="folder">Where stores on disk lie.</param>
    public static async Task<int> RunAsync(string engine, int pairs, string folder)
    {
        switch (engine)
        {
            case "faster":
                await using (NumberedBytes.Store store = await NumberedBytes.OpenAsync(null))
                {
                    NumberedBytes.Session bad = store.StartSession(), good = store.StartSession();
                    return Run(pairs, (key, value) => _ = bad.Upsert(key, value), key => _ = bad.Delete(key),
                        (key, value) => _ = good.Upsert(key, value),
                        key => good.Read(key, out byte[]? value) == Status.Ok ? value : null);
                }

            case "tiered":
                await using (TieredBytes.Store store = await TieredBytes.OpenAsync(folder, new TieredOptions()))
                {
                    TieredBytes.Session bad = store.StartSession(), good = store.StartSession();
                    return Run(pairs, (key, value) => _ = bad.Upsert(key, value), key => _ = bad.Delete(key),
                        (key, value) => _ = good.Upsert(key, value),
                        key => good.Read(key, out byte[]? value) == Status.Ok ? value : null);
                }

            default:
                await using (RingBlobs.Store store = await RingBlobs.OpenAsync(new HotRingOptions
                {
                    MemoryBudget = ByteSize.MiB(16),
                }))
                {
                    RingBlobs.Session bad = store.StartSession(), good = store.StartSession();
                    return Run(pairs, (key, value) => _ = bad.Upsert(key, value), key => _ = bad.Delete(key),
                        (key, value) => _ = good.Upsert(key, value),
                        key => good.Read(key, out byte[]? value) == Status.Ok ? value : null);
                }
        }
    }

    private static int Run(
        int pairs, Action<long, byte[]> misuseUpsert, Action<long> misuseDelete, Action<long, byte[]> upsert,
        Func<long, byte[]?> read)
    {
        bool stops = false;
        long misused = 0, refused = 0;
        string? fault = null;
        Thread[] misusers = [.. Enumerable.Range(0, Misusers).Select(seed => new Thread(() =>
        {
            var random = new Random(seed);
            while (!Volatile.Read(ref stops))
            {
                try
                {
                    long key = 1_000_000 + random.Next(MisusedKeys);
                    if (random.Next(2) == 0) misuseUpsert(key, new byte[16 + random.Next(500)]);
                    else misuseDelete(key);
                    Interlocked.Increment(ref misused);
                }
                catch (SessionMisuseException)
                {
                    Interlocked.Increment(ref refused);
                }
                catch (Exception e)
                {
                    fault ??= e.ToString();
                }
            }
        }))];
        foreach (Thread thread in misusers) thread.Start();
        var lengths = new int[Keys];
        var other = new Random(7);
        int wrong = 0;
        for (int i = 0; i < pairs; i++)
        {
            long key = other.Next(Keys), asked = other.Next(Keys);
            lengths[key] = 16 + other.Next(300);
            upsert(key, ValueOf(key, lengths[key]));
            if (!IsRight(read(asked), asked, lengths[asked])) wrong++;
        }

        Volatile.Write(ref stops, true);
        foreach (Thread thread in misusers) thread.Join();
        for (long key = 0; key < Keys; key++)
            if (!IsRight(read(key), key, lengths[key])) wrong++;
        Console.WriteLine($"wrong={wrong} misused={misused} refused={refused} fault={fault ?? "none"}");
        return fault is null ? 0 : 1;
    }

    private static bool IsRight(byte[]? found, long key, int length) =>
        length == 0 ? found is null : found is not null && found.AsSpan().SequenceEqual(ValueOf(key, length));

    private static byte[] ValueOf(long key, int length)
    {
        byte[] value = new byte[length];
        new Random(((int)key * 1000) + length).NextBytes(value);
        return value;
    }
}
