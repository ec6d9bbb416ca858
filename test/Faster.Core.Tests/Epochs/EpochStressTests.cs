using Faster.Contracts;
using Faster.Epochs;

namespace Faster.Tests.Epochs;

/// <summary>The epoch table under real threads and more than two hundred sessions.</summary>
public sealed unsafe class EpochStressTests
{
    private const int Threads = 4, SessionsEach = 55, Poison = -1;

    private static readonly int Operations = TestBudget.Times(100_000);

    [Fact]
    public void Pages_swapped_under_many_sessions_are_freed_once_and_never_under_a_reader()
    {
        int failures = 0;
        var table = new EpochTable(_ => Interlocked.Increment(ref failures));
        long[] shown = [0];
        int bumps = 0, runs = 0, underReader = 0, throwing = 0;
        void Work(int thread)
        {
            var random = new Random(thread);
            var slots = new nint[SessionsEach];
            for (int i = 0; i < slots.Length; i++) slots[i] = (nint)table.Acquire($"{thread}/{i}");
            for (int i = 0; i < Operations; i++)
            {
                int session = random.Next(slots.Length);
                if (random.Next(64) == 0)
                {
                    table.Release((EpochSlot*)slots[session]);
                    slots[session] = (nint)table.Acquire($"{thread}/{session}, again");
                }

                var slot = (EpochSlot*)slots[session];
                table.Enter(slot);
                long[] page = Volatile.Read(ref shown);
                if (random.Next(16) == 0)
                {
                    table.Refresh(slot);
                    page = Volatile.Read(ref shown);
                }

                int kind = random.Next(128);
                if (kind < 3)
                {
                    long[] old = Interlocked.Exchange(ref shown, [i]);
                    Interlocked.Increment(ref bumps);
                    void Free()
                    {
                        Interlocked.Increment(ref runs);
                        if (Interlocked.Exchange(ref old[0], Poison) == Poison) Interlocked.Increment(ref underReader);
                        if (kind == 0) throw new FormatException("seeded");
                    }

                    if (kind == 0) Interlocked.Increment(ref throwing);
                    if (kind == 1) table.Bump(() => true, Free);
                    else table.Bump(Free);
                }

                if (Volatile.Read(ref page[0]) == Poison) Interlocked.Increment(ref underReader);
                table.Leave(slot);
            }

            foreach (nint slot in slots) table.Release((EpochSlot*)slot);
        }

        Thread[] workers = [.. Enumerable.Range(0, Threads).Select(thread => new Thread(() => Work(thread)))];
        foreach (Thread worker in workers) worker.Start();
        foreach (Thread worker in workers) worker.Join();
        Assert.Equal(0, underReader);
        Assert.Equal(0, table.PendingActions);
        Assert.Equal((bumps, throwing), (runs, failures));
        Assert.True(bumps > 100);
        Assert.Equal(table.Current - 1, bumps);
    }
}
