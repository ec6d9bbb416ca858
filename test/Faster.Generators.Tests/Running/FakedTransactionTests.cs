using Faster.Generators.Tests.Fakes;

namespace Faster.Generators.Tests.Running;

/// <summary>A fake of a session implements the first form of each transaction, and inherits the others.</summary>
public class FakedTransactionTests
{
    [Fact]
    public async Task The_other_forms_call_the_first_one() => Assert.Equal(
        ["Committed", "Aborted", "Committed 5", "Committed,Aborted", "2,1"], await Harness.RunAsync($$"""
            [Store(Engine = typeof(MemoryEngine), Key = typeof(long), Value = typeof(long))]
            public static partial class Bank
            {
                [Transaction] static bool Transfer(ref long from, ref long to, long amount) => amount > 0;
                [Transaction] static void Audit(ReadOnlyRecords<long> all, in long one, out long sum) => sum = one;
            }

            public sealed class Fake : Bank.ISession
            {
                public Status Read(long key, out long output)
                {
                    output = key;
                    return Status.Ok;
                }

                public Status Upsert(long key, long value) => Status.Ok;
                public Status Delete(long key) => Status.Ok;
                public TransactionStatus Transfer(long from, long to, long amount) =>
                    amount > 0 ? TransactionStatus.Committed : TransactionStatus.Aborted;

                public TransactionStatus Audit(ReadOnlySpan<long> all, long one, out long sum)
                {
                    sum = all.Length + one;
                    return TransactionStatus.Committed;
                }
            }

            public static class Program
            {
                public static async Task Run(List<string> log)
                {
                    Bank.ISession session = new Fake();
                    log.Add($"{await session.TransferAsync(1, 2, 3)}");
                    log.Add($"{await session.TransferAsync(1, 2, 0)}");
                    TransactionResult<long> audit = await session.AuditAsync([1, 2], 3);
                    log.Add($"{audit.Status} {audit.Value}");
                    var statuses = new TransactionStatus[2];
                    session.TransferBatch([1, 2], [3, 4], [1, 0], statuses);
                    log.Add(string.Join(',', statuses));
                    var results = new TransactionResult<long>[2];
                    session.AuditBatch([new long[] { 7 }, default], [1, 1], results);
                    log.Add(string.Join(',', results.Select(static r => r.Value)));
                }
            }

            {{TransactionSources.Engine}}
            """));
}
