using Faster.Workload.Writes;
using Faster.Ycsb.Engines;

namespace Faster.Ycsb.Tests.Writes;

public class WriteShapeTests
{
    [Theory]
    [InlineData("blocking:8", 8)]
    [InlineData("awaited:8x64", 512)]
    [InlineData("batches:2x1024", 2048)]
    public void A_form_is_written_as_it_is_read(string text, int outstanding)
    {
        Assert.True(WriteShape.TryParse(text, out WriteShape? shape));
        Assert.Equal((text, outstanding), (shape.ToString(), shape.Outstanding));
    }

    [Theory]
    [InlineData("blocking")]
    [InlineData("blocking:0")]
    [InlineData("blocking:8x1")]
    [InlineData("awaited:8")]
    [InlineData("awaited:8x2000")]
    [InlineData("awaited:8x8x8")]
    [InlineData("1:8")]
    [InlineData("later:8")]
    public void Anything_else_is_no_form(string text) => Assert.False(WriteShape.TryParse(text, out _));

    [Theory]
    [InlineData("rocksdb-sync", "awaited:8x64", "blocking:512")]
    [InlineData("rocksdb-sync", "batches:8x64", "batches:8x64")]
    [InlineData("rocksdb-sync", "awaited:64x64", null)]   // no thread for each
    [InlineData("sqlite-full", "awaited:8x64", null)]     // its writers take turns
    [InlineData("sqlite-full", "blocking:8", "blocking:8")]
    [InlineData("faster-durable", "awaited:8x64", "awaited:8x64")]
    [InlineData("fasterlog-csharp", "awaited:8x64", "awaited:8x64")]
    public void An_engine_that_can_not_await_has_as_many_threads_if_they_share_syncs(
        string engine, string asked, string? expected)
    {
        Assert.True(WriteShape.TryParse(asked, out WriteShape? shape));
        Assert.Equal(expected, EngineCatalog.Durable[engine].ShapeFor(shape)?.ToString());
    }
}
