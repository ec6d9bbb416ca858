using CountStore.Input;

namespace CountStore.Tests.Input;

public class InputFormatTests
{
    [Theory]
    [InlineData("u32le")]
    [InlineData("u32be")]
    [InlineData("u64be")]
    [InlineData("lines")]
    [InlineData("words")]
    [InlineData("csv:1")]
    [InlineData("csv:name")]
    public void Each_format_is_known_by_its_name(string name)
    {
        Assert.True(InputFormat.TryParse(name, out InputFormat? format));
        Assert.Equal(name, format.Name);
    }

    [Theory]
    [InlineData("")]
    [InlineData("u64le")]
    [InlineData("csv")]
    [InlineData("csv:")]
    [InlineData("csv:0")]
    [InlineData("csv:-1")]
    [InlineData("csv:99999999999")]
    public void Anything_else_is_refused(string name) => Assert.False(InputFormat.TryParse(name, out _));
}
