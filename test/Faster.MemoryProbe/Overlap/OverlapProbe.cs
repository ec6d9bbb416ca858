namespace Faster.MemoryProbe.Overlap;

/// <summary>
/// Several threads call one session at once, which is misuse: what they were told is done, and what the store has then.
/// </summary>
internal static class OverlapProbe
{
    private const int Threads = 4, Keys = 100_000, BatchSize = 8;

    /// <summary>Runs calls in one form on one engine, and prints what was acknowledged and what is stored.</summary>
    /// <param name="engine">faster, tiered or ring.</param>
    /// <param name="form">status, awaited or batched.</param>
    /// <param name="calls">How many calls are made, by all threads together.</param>
    /// <param name="folder">Where stores on disk lie.</param>
    public static async Task<int> RunAsync(string engine, string form, int calls, string folder)
    {
        var memory = ByteSize.MiB(2);
        switch (engine)
        {
            case "faster":
                await using (Sums.Store store =
                    await Sums.OpenAsync(folder, new StoreOptions { MemoryBudget = memory }))
                {
                    Sums.Session session = store.StartSession();
                    return await CompareAsync(form, calls, session, new Forms(
                        (key, amount) => session.Rmw(key, amount), () => session.CompletePending(wait: true),
                        (key, amount) => session.RmwAsync(key, amount),
                        (keys, amounts) => session.Rmw(keys, amounts),
                        key => session.ReadAsync(key)));
                }

            case "tiered":
                await using (TieredSums.Store store =
                    await TieredSums.OpenAsync(folder, new TieredOptions { MemoryBudget = memory }))
                {
                    TieredSums.Session session = store.StartSession();
                    return await CompareAsync(form, calls, session, new Forms(
                        (key, amount) => session.Rmw(key, amount), () => session.CompletePending(wait: true),
                        (key, amount) => session.RmwAsync(key, amount),
                        (keys, amounts) => session.Rmw(keys, amounts),
                        key => session.ReadAsync(key)));
                }

            default:
                await using (RingSums.Store store = await RingSums.OpenAsync(new HotRingOptions()))
                {
                    RingSums.Session session = store.StartSession();
                    return await CompareAsync(form, calls, session, new Forms(
                        (key, amount) => session.Rmw(key, amount), () => true,
                        (key, amount) => session.RmwAsync(key, amount),
                        (keys, amounts) => session.Rmw(keys, amounts),
                        key => session.ReadAsync(key)));
                }
        }
    }

    private static async Task<int> CompareAsync(string form, int calls, IAsyncDisposable shared, Forms forms)
    {
        long done = 0, refused = 0;
        string? fault = null;
        await Task.WhenAll(Enumerable.Range(0, Threads).Select(seed => Task.Run(async () =>
        {
            var random = new Random(seed);
            for (int i = 0; i < calls / Threads; i++)
            {
                // Runs of calls on few keys make a thread keep the session; the others wait for the disk.
                long key = (i >> 10) % 2 == 0 ? random.Next(64) : random.Next(Keys);
                try
                {
                    Interlocked.Add(ref done, await forms.CallAsync(form, key, BatchSize));
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
        })));

        _ = forms.Complete();
        long sum = 0;
        for (long key = 0; key < Keys + BatchSize; key++) sum += (await forms.ReadAsync(key)).GetValueOrDefault(0);
        await shared.DisposeAsync();
        Console.WriteLine($"done={done} sum={sum} refused={refused} fault={fault ?? "none"}");
        return fault is null ? 0 : 1;
    }

    private delegate void Batch(ReadOnlySpan<long> keys, ReadOnlySpan<long> amounts);

    private sealed record Forms(
        Func<long, long, Status> Call, Func<bool> Complete, Func<long, long, ValueTask<Status>> CallAwaited,
        Batch CallBatch, Func<long, ValueTask<ReadResult<long>>> ReadAsync)
    {
        /// <summary>Makes a call that adds 1 to each of some counters.</summary>
        /// <returns>The number of counters, when the call was not refused.</returns>
        public async ValueTask<int> CallAsync(string form, long key, int size)
        {
            switch (form)
            {
                case "status":
                    if (Call(key, 1) == Status.Pending) CompleteIfFree();
                    return 1; // accepted: it is completed sooner or later
                case "awaited":
                    _ = await CallAwaited(key, 1);
                    return 1;
                default:
                    long[] keys = [.. Enumerable.Range(0, size).Select(i => key + i)];
                    CallBatch(keys, Enumerable.Repeat(1L, size).ToArray());
                    return size;
            }
        }

        private void CompleteIfFree()
        {
            try
            {
                _ = Complete();
            }
            catch (SessionMisuseException)
            {
                // beside another call, which will complete it, or the end does
            }
        }
    }
}
