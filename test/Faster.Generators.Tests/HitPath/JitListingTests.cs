namespace Faster.Generators.Tests.HitPath;

public sealed class JitListingTests
{
    [Theory]
    [InlineData("       call     [A.B`1[long]:Do(long):long:this]", true, "A.B`1[long]:Do(long):long:this")]
    [InlineData("       call     A.B:Do(byref):int", true, "A.B:Do(byref):int")]
    [InlineData("       call     CORINFO_HELP_NEWSFAST", true, "CORINFO_HELP_NEWSFAST")]
    [InlineData("       call     [CORINFO_HELP_ISINSTANCEOFANY]", true, "CORINFO_HELP_ISINSTANCEOFANY")]
    [InlineData("       tail.jmp [A.B:Do():int]", true, "A.B:Do():int")]
    [InlineData("       call     rax ; Interop+Sys:Sync():long", true, "Interop+Sys:Sync():long")]
    [InlineData("       call     [rax+0x20]A.B:Do():int:this", false, "A.B:Do():int:this")]
    [InlineData("       call     [r11]A.IB:Do():int:this", false, "A.IB:Do():int:this")]
    [InlineData("       call     rax", false, "")]
    [InlineData("       tail.jmp [rax+0x40]A.B:Do():int:this", false, "A.B:Do():int:this")]
    public void A_call_tells_whether_its_target_is_known(string line, bool direct, string target)
    {
        JitCall? call = JitListing.ParseCall(line);

        Assert.NotNull(call);
        Assert.Equal((direct, target), (call.IsDirect, call.Target));
    }

    [Theory]
    [InlineData("       mov      rax, qword ptr [rdi]")]
    [InlineData("       jmp      SHORT G_M000_IG05")]
    [InlineData("; Total bytes of code 19")]
    public void Instructions_that_are_no_call_are_skipped(string line) => Assert.Null(JitListing.ParseCall(line));

    [Theory]
    [InlineData(true, "mov      qword ptr [rsi], r9")]
    [InlineData(true, "mov      byte  ptr [rbp-0x30], 0")]
    [InlineData(true, "inc      qword ptr [rdx]")]
    [InlineData(true, "cmpxchg  qword ptr [rsi], rcx")]
    [InlineData(true, "vmovdqu  xmmword ptr [rsp], xmm0")]
    [InlineData(true, "push     rbp")]
    [InlineData(false, "mov      rax, qword ptr [rdi]")]
    [InlineData(false, "cmp      qword ptr [rsi], 0")]
    [InlineData(false, "test     dword ptr [rax+0x04], 0x7A000000")]
    [InlineData(false, "lea      rdx, [rsi+0x40]")]
    [InlineData(false, "pop      rbp")]
    public void A_store_writes_to_memory(bool stores, string instruction) =>
        Assert.Equal(stores, JitListing.IsStore(instruction));

    [Fact]
    public void Instructions_are_counted_without_labels_and_gaps()
    {
        string[] lines =
        [
            "; Assembly listing for method A:F(long):long (FullOpts)", "",
            "G_M000_IG01:                ;; offset=0x0000", "       push     rbp", " ",
            "       align    [3 bytes for IG06]", "       mov      qword ptr [rdi], rax", "       lock     ",
            "       ret      ", "RWD00  \tdq\t0000000000000000h", "; Total bytes of code 19",
        ];

        JitMethod method = JitListing.Parse(lines)["A:F(long):long"];

        Assert.Equal((4, 2), (method.Instructions.Count, method.Stores));
    }

    [Fact]
    public void Calls_belong_to_the_method_whose_listing_they_are_in()
    {
        string[] lines =
        [
            "; Assembly listing for method A:F(long):long (FullOpts)",
            "       call     [A:G()]",
            "; Assembly listing for method A:G() (Tier0)",
            "       ret",
        ];

        IReadOnlyDictionary<string, JitMethod> methods = JitListing.Parse(lines);

        Assert.Equal("A:G()", Assert.Single(methods["A:F(long):long"].Calls).Target);
        Assert.True(methods["A:F(long):long"].IsOptimized);
        Assert.Empty(methods["A:G()"].Calls);
        Assert.False(methods["A:G()"].IsOptimized);
    }

    [Theory]
    [InlineData(true, "A F", "call", "T F", "", "A G", "T G")]
    [InlineData(false, "A F", "call", "A G", "T F", "T G")]
    [InlineData(false, "A F", "call A G", "T F", "T G")]
    [InlineData(false, "A F", "call", "T F", "A G", "call")]
    [InlineData(false, "call", "T F")]
    public void A_listing_that_two_threads_have_written_at_a_time_is_not_whole(bool isWhole, params string[] lines) =>
        Assert.Equal(isWhole, JitListing.IsWhole(lines.Select(static line => line
            .Replace("A ", "; Assembly listing for method ", StringComparison.Ordinal)
            .Replace("T ", "; Total bytes of code ", StringComparison.Ordinal))));
}
