using Faster.Workload;
using Faster.Ycsb.Engines.Values;

namespace Faster.Ycsb.Tests.Engines;

public class ValueWorkerTests
{
    [Fact]
    public void A_key_whose_insert_went_pending_is_found_by_the_read_after_it()
    {
        using var worker = new ValueWorker<PendingSession, long>(new PendingSession([], []));
        Assert.Equal(7 + 9, worker.Mixed([~7, ~9, 7, 9], mask: 0));
    }
}
