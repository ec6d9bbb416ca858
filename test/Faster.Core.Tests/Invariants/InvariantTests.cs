using Faster.Invariants;

namespace Faster.Tests.Invariants;

/// <summary>What a check does that holds, and one that does not.</summary>
public class InvariantTests
{
    [Fact]
    public void A_check_that_holds_makes_no_text()
    {
        int made = 0;
        Invariant.Check(made == 0, $"{++made}");
        Assert.Equal(0, made);
    }

    [Fact]
    public void A_check_that_does_not_hold_names_the_invariant_its_values_and_its_place()
    {
        (long head, long tail) = (7, 5);
        var violation = Assert.Throws<InvariantException>(
            () => Invariant.Check(head <= tail, $"Head ≤ Tail: {head}, {tail:x4}"));
        string place = $"{nameof(InvariantTests)}.{nameof(
            A_check_that_does_not_hold_names_the_invariant_its_values_and_its_place)}";
        Assert.Equal(place, violation.Place);
        Assert.StartsWith($"An invariant does not hold: Head ≤ Tail: 7, 0005 ({place}).", violation.Message,
            StringComparison.Ordinal);
        Assert.IsAssignableFrom<FasterException>(violation);
    }

    [Fact]
    public void A_check_of_the_hit_path_is_compiled_only_with_all_assertions()
    {
        int evaluated = 0;
        Exception? violation = Record.Exception(() => Invariant.DebugCheck(++evaluated == 0, $"nothing was counted"));
#if DEBUG
        Assert.IsType<InvariantException>(violation);
        Assert.Equal(1, evaluated);
#else
        Assert.Null(violation);
        Assert.Equal(0, evaluated);
#endif
    }
}
