using System.Diagnostics;
using System.Reflection;

namespace Faster.Tests.Contracts;

/// <summary>
/// A program can have this library and FASTER C# at once, and move from one to the other: .NET compares the names of
/// assemblies without regard to case, so no other than FASTER C# may be named FASTER.core.
/// </summary>
public sealed class SideBySideTests
{
    [Fact]
    public async Task Records_move_from_a_store_of_FASTER_CSharp_to_one_of_this_library_in_one_process()
    {
        string program = typeof(SideBySideTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(static a => a.Key == "SideBySide").Value!;
        var start = new ProcessStartInfo("dotnet", ["exec", program])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        using Process process = Process.Start(start)!;
        Task<string> error = process.StandardError.ReadToEndAsync();
        string text = await process.StandardOutput.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, text + await error);
        Assert.Equal("moved=1000 sum=332833500", text.Trim());
    }
}
