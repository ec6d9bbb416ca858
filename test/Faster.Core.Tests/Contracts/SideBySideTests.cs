using Faster.Tests.Faults;

namespace Faster.Tests.Contracts;

/// <summary>
/// A program can have this library and FASTER C# at once, and move from one to the other: .NET compares the names of
/// assemblies without regard to case, so no other than FASTER C# may be named FASTER.core.
/// </summary>
public sealed class SideBySideTests
{
    [Fact]
    public async Task Records_move_from_a_store_of_FASTER_CSharp_to_one_of_this_library_in_one_process() =>
        Assert.Equal("moved=1000 sum=332833500", (await TestProgram.RunAsync("SideBySide")).Trim());
}
