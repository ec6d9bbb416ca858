using Faster.Operations;

namespace Faster.Tests.Operations;

public sealed class ChainReadResultTests
{
    [Fact]
    public void It_knows_nothing_until_told()
    {
        var record = new ChainReadResult();
        Assert.Equal((0, false, 0), (record.ChainStart, record.Found, record.Value.Length));
    }

    [Fact]
    public void A_found_record_is_copied_and_replaced_by_the_next_one()
    {
        var record = new ChainReadResult();
        byte[] bytes = [1, 2, 3, 4, 5];
        record.SetFound(64, 64, bytes);
        bytes[0] = 9;
        Assert.Equal((64, 64, true), (record.ChainStart, record.Address, record.Found));
        Assert.Equal([1, 2, 3, 4, 5], record.Value.ToArray());
        record.SetFound(128, 96, [7]);
        Assert.Equal(96, record.Address);
        Assert.Equal([7], record.Value.ToArray());
        record.SetAbsent(256);
        Assert.Equal((256, false, 0), (record.ChainStart, record.Found, record.Value.Length));
        record.Clear();
        Assert.Equal(0, record.ChainStart);
    }
}
