import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional, IsString, Length } from 'class-validator';

export class UpdateTeamDto {
  @IsOptional()
  @Transform(({ value }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @Length(1, 100)
  name?: string;

  @IsOptional()
  @IsBoolean()
  add_to_new_projects?: boolean;

  @IsOptional()
  @IsBoolean()
  can_create_projects?: boolean;

  @IsOptional()
  @IsBoolean()
  can_merge_production?: boolean;

  @IsOptional()
  @IsBoolean()
  can_merge_staging?: boolean;
}
