namespace Faster.Ycsb.Plotting;

/// <summary>What marks of one look have in common; the same in every panel of a figure.</summary>
/// <param name="Name">Its name in the legend.</param>
/// <param name="Colour">Which of the figure's colours it has, from 0.</param>
/// <param name="IsDashed">Whether its lines are dashed.</param>
internal sealed record Series(string Name, int Colour, bool IsDashed = false);
