using Faster.Contracts;
using Faster.Engines.Transactional;
using Faster.Tests.Faults;

namespace Faster.Tests.Engines.Transactional.Histories;

/// <summary>Histories of real threads over few records: each is that of one order.</summary>
public sealed class SerializableHistoryTests
{
    [Theory]
    [InlineData(4, false)]
    [InlineData(4, true)]
    [InlineData(12, false)]
    public Task Random_transactions_are_serializable(int keys, bool readsLock) => Guard.RunAsync(() =>
        TestSeed.Run(20, seed =>
        {
            const int Threads = 4, Each = 400;
            using TransactionalStore store = TransactionCalls.Open(new() { ReadsLock = readsLock });
            var histories = new List<CommittedTransaction>[Threads];
            Parallel.For(0, Threads, new ParallelOptions { MaxDegreeOfParallelism = Threads }, thread =>
            {
                using TransactionalSession session = store.StartSession();
                var random = new Random((seed * Threads) + thread);
                var recorded = new RecordedTransactions<UnmanagedKey<long>>(
                    session, thread + 1, static key => new UnmanagedKey<long>(key));
                for (int i = 0; i < Each; i++) recorded.RunRandom(random, keys);
                histories[thread] = recorded.Committed;
            });
            Assert.True(histories.Sum(static one => one.Count) > Threads * Each / 2, "Hardly anything commits.");
            string? violation = SerializabilityChecker.FindViolation(histories);
            Assert.True(violation is null, violation);
        }));
}
