using CountStore.Input;

namespace CountStore.Tests.Input;

public class NumberParserTests
{
    [Fact]
    public void Numbers_are_read_in_their_byte_order()
    {
        byte[] bytes = [0, 0, 0, 1, 0, 0, 1, 2];
        Assert.Equal(["1", "258"], Keys.Parse(InputFormat.U32BigEndian, bytes));
        Assert.Equal(["16777216", "33619968"], Keys.Parse(InputFormat.U32LittleEndian, bytes));
        Assert.Equal(["4294967554"], Keys.Parse(InputFormat.U64BigEndian, bytes));
        byte[] highest = [.. Enumerable.Repeat((byte)255, 8)];
        Assert.Equal(["18446744073709551615"], Keys.Parse(InputFormat.U64BigEndian, highest));
    }

    [Fact]
    public void A_number_cut_short_is_an_error()
    {
        var error = Assert.Throws<InputException>(() => Keys.Parse(InputFormat.U32LittleEndian, [1, 2, 3, 4, 5], 5));
        Assert.Contains("1 bytes are left over", error.Message, StringComparison.Ordinal);
    }
}
